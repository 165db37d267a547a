-- GPU-hours by account
-- What each account used, its part of all, and how much of it was measured to be busy. Charged is what it used times the billing weights of GPU types that held: 1 unless the site gave others.
select e.account, sum(e.gpu_hours) as gpu_hours, sum(e.gpu_hours) / nullif(sum(sum(e.gpu_hours)) over (), 0) as share,
       count(distinct e.user_name) as users, sum(e.busy_gpu_hours) / nullif(sum(e.measured_gpu_hours), 0) as busy_share,
       sum(e.charged_gpu_hours) as charged_gpu_hours, sum(e.charged_gpu_hours) / nullif(sum(sum(e.charged_gpu_hours)) over (), 0) as charged_share
  from fairbridge_v1.efficiency_by_user_day e
 where e.cluster = $1 and e.day >= ($2::timestamptz at time zone 'UTC')::date and e.day < $3::timestamptz at time zone 'UTC'
   and ($4::text = '' or e.account = $4) and ($5::text = '' or e.user_name = $5)
 group by e.account order by gpu_hours desc, e.account
