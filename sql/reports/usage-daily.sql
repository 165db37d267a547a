-- GPU-hours by day, account and GPU type
-- As of the last poll, split at midnight UTC. Charged is by the billing weights that held.
select u.day, u.account, u.gpu_type, sum(u.gpu_hours) as gpu_hours, sum(u.charged_gpu_hours) as charged_gpu_hours
  from fairbridge_v1.usage_by_user_day u
 where u.cluster = $1 and u.day >= ($2::timestamptz at time zone 'UTC')::date and u.day < $3::timestamptz at time zone 'UTC'
   and ($4::text = '' or u.account = $4) and ($5::text = '' or u.user_name = $5)
 group by u.day, u.account, u.gpu_type order by u.day, u.account, u.gpu_type
