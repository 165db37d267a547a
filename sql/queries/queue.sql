-- The queue as of the last cycle of each partition ($2: one of them, or '').
select partition, rank, job, coalesce(name, ''), coalesce(user_name, ''), coalesce(account, ''), coalesce(state, ''), coalesce(reason, ''), gpus, verb, place, why, arrived, started
  from fairbridge_v1.queue_now where cluster = $1 and ($2 = '' or partition = $2) order by partition, rank, job
