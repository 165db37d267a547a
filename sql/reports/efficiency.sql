-- Efficiency by account
-- GPU-hours allocated, measured, and of the measured: busy (times utilisation), idle (a process, less than 1 % busy), held without any process. What was not measured is unknown.
select e.account, sum(e.gpu_hours) as gpu_hours, sum(e.measured_gpu_hours) as measured_gpu_hours, sum(e.busy_gpu_hours) as busy_gpu_hours,
       sum(e.idle_gpu_hours) as idle_gpu_hours, sum(e.held_without_process_gpu_hours) as held_without_process_gpu_hours,
       sum(e.busy_gpu_hours) / nullif(sum(e.measured_gpu_hours), 0) as busy_share
  from fairbridge_v1.efficiency_by_user_day e
 where e.cluster = $1 and e.day >= ($2::timestamptz at time zone 'UTC')::date and e.day < $3::timestamptz at time zone 'UTC'
   and ($4::text = '' or e.account = $4) and ($5::text = '' or e.user_name = $5)
 group by e.account order by gpu_hours desc, e.account
