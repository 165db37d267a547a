-- Time limits by user: the 50 that asked for most too much
-- Of runs completed under a limit. Accuracy is time taken over time asked for; excess the difference. Timeouts hit their limit.
select t.user_name as "user", t.account, sum(t.runs)::bigint as runs, sum(t.timeouts)::bigint as timeouts, sum(t.elapsed_hours) / nullif(sum(t.limit_hours), 0) as accuracy_share,
       sum(t.limit_hours) as limit_hours, sum(t.limit_hours - t.elapsed_hours) as excess_hours
  from fairbridge_v1.time_limits_by_user_day t
 where t.cluster = $1 and t.day >= ($2::timestamptz at time zone 'UTC')::date and t.day < $3::timestamptz at time zone 'UTC'
   and ($4::text = '' or t.account = $4) and ($5::text = '' or t.user_name = $5)
 group by t.user_name, t.account order by excess_hours desc, t.user_name, t.account limit 50
