-- Who steered a partition ($2) between $3 and $4, by number of cycles.
select mode, policy, params, count(*), sum(pushed)::bigint
  from fairbridge.cycles where cluster = $1 and partition = $2 and at >= $3 and at < $4
 group by mode, policy, params order by count(*) desc, mode, policy, params
