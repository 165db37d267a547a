-- Store a cycle. No row affected: it is there already.
insert into fairbridge.cycles (cluster, partition, seq, epoch, at, mode, policy, params, digest, snapshot, plan_digest, memo, decisions, refused, pushed, took, own_digest)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, nullif($17, ''))
on conflict (cluster, partition, seq) do nothing
