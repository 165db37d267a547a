-- The runs of some jobs ($2), whole.
select job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, state, reason, array_job, array_task,
       coalesce(extract(epoch from time_limit), 0)::bigint, gpus, started, ended, closed, exact, authority
  from fairbridge.job_runs where cluster = $1 and job = any ($2::bigint[])
 order by job, submit, restarts
