-- Shares by account
-- The part each account is entitled to (weights along the tree) and the part it used, of what was charged by the billing weights of GPU types. Used, wanted, due and deficit are GPU-hours of any type. Due is its part, by entitlement, of what was used on days on which it wanted something; deficit sums up, day by day, what it lacked of that and wanted.
select s.account, avg(s.entitled_share) as entitled_share, sum(s.charged_gpu_hours) / nullif(sum(sum(s.charged_gpu_hours)) over (), 0) as used_share,
       sum(s.used_gpu_hours) as used_gpu_hours, sum(s.wanted_gpu_hours) as wanted_gpu_hours, sum(s.due_gpu_hours) as due_gpu_hours, sum(s.deficit_gpu_hours) as deficit_gpu_hours,
       sum(s.charged_gpu_hours) as charged_gpu_hours
  from fairbridge_v1.share_by_account_day s
 where s.cluster = $1 and s.day >= ($2::timestamptz at time zone 'UTC')::date and s.day < $3::timestamptz at time zone 'UTC'
   and ($4::text = '' or s.account = $4) and $5::text = ''
 group by s.account order by deficit_gpu_hours desc, s.account
