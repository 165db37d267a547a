-- Owners told of idle GPUs, and what came of it
-- Reminders sent in the time asked for, by user. Hours idle after it are GPU-hours from the first reminder of a job until its GPUs were busy or it ended, as far as measured; still idle are jobs that were neither at the last look.
with jobs as (
    select i.user_name, i.account, i.job, count(*) as steps, sum(i.idle_gpu_s) as idle_gpu_s, bool_or(i.outcome = 'busy') as woke, bool_or(i.outcome = 'ended') as ended
      from fairbridge_v1.idle_reminders i
     where i.cluster = $1 and i.at >= $2 and i.at < $3 and i.state <> 'failed' and ($4::text = '' or i.account = $4) and ($5::text = '' or i.user_name = $5)
     group by i.user_name, i.account, i.job
)
select j.user_name as "user", j.account, count(*) as jobs, sum(j.steps)::bigint as reminders, (sum(j.idle_gpu_s) / 3600)::float8 as idle_gpu_hours_after,
       count(*) filter (where j.woke) as busy_again, count(*) filter (where j.ended and not j.woke) as ended, count(*) filter (where not j.woke and not j.ended) as still_idle
  from jobs j group by j.user_name, j.account order by idle_gpu_hours_after desc, reminders desc, j.user_name, j.account limit 1000
