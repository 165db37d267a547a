-- The 50 jobs that left most GPU-hours unused
-- Runs that ended in the time: wasted is measured less busy. fairbridge job JOB says what to change.
with worst as (
    select e.cluster, e.job, e.restarts, e.ended, e.wasted_gpu_hours
      from fairbridge_v1.efficiency_by_job e
     where e.cluster = $1 and e.ended >= $2 and e.ended < $3 and ($4::text = '' or e.account = $4) and ($5::text = '' or e.user_name = $5)
       and e.wasted_gpu_hours > 0
     order by e.wasted_gpu_hours desc, e.job, e.restarts limit 50
)
select e.job, coalesce(r.address, e.job::text) as address, e.restarts, e.name, e.user_name as "user", e.account, e.gpus, e.gpu_hours, e.busy_share,
       e.idle_gpu_hours, e.held_without_process_gpu_hours, e.wasted_gpu_hours
  from worst w
 cross join lateral (select * from fairbridge_v1.efficiency_by_job e
                      where e.cluster = w.cluster and e.job = w.job and e.restarts = w.restarts and e.ended = w.ended offset 0) e
 left join lateral (select r.address from fairbridge_v1.runs r where r.cluster = w.cluster and r.job = w.job and r.restarts = w.restarts
                     order by r.ended = w.ended desc nulls last, r.started desc nulls last limit 1) r on true
 order by e.wasted_gpu_hours desc, e.job, e.restarts
