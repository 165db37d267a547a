-- Share deficit by day and account
-- GPU-hours an account lacked on a day of what was due to it and wanted.
select s.day, s.account, s.entitled_share, s.used_share, s.deficit_gpu_hours
  from fairbridge_v1.share_by_account_day s
 where s.cluster = $1 and s.day >= ($2::timestamptz at time zone 'UTC')::date and s.day < $3::timestamptz at time zone 'UTC'
   and ($4::text = '' or s.account = $4) and $5::text = ''
 order by s.day, s.account
