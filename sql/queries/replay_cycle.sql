-- A stored cycle, to decide again.
select seq, epoch, at, mode, policy, params, digest, plan_digest, coalesce(own_digest, ''), refused, snapshot
  from fairbridge.cycles where cluster = $1 and partition = $2 and ($3 = 0 or seq = $3) order by seq desc limit 1
