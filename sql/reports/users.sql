-- The 50 largest users
-- GPU-hours, of those that were measured the part that was busy, and what is charged for them by the billing weights of GPU types.
select e.user_name as "user", e.account, sum(e.gpu_hours) as gpu_hours, sum(e.gpu_hours) / nullif(sum(sum(e.gpu_hours)) over (), 0) as share,
       sum(e.busy_gpu_hours) / nullif(sum(e.measured_gpu_hours), 0) as busy_share,
       sum(e.charged_gpu_hours) as charged_gpu_hours, sum(e.charged_gpu_hours) / nullif(sum(sum(e.charged_gpu_hours)) over (), 0) as charged_share
  from fairbridge_v1.efficiency_by_user_day e
 where e.cluster = $1 and e.day >= ($2::timestamptz at time zone 'UTC')::date and e.day < $3::timestamptz at time zone 'UTC'
   and ($4::text = '' or e.account = $4) and ($5::text = '' or e.user_name = $5)
 group by e.user_name, e.account order by gpu_hours desc, e.user_name, e.account limit 50
