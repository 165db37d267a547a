-- Requests a second of each service in each hour of the day (UTC), the median of the days of the week before $2; of hours that three days have.
select account, user_name, service, extract(hour from hour at time zone 'UTC')::int, percentile_cont(0.5) within group (order by requests) / 3600
  from fairbridge.service_hours
 where cluster = $1 and hour > $2::timestamptz - interval '7 days' and hour <= $2::timestamptz - interval '1 hour'
 group by 1, 2, 3, 4 having count(*) >= 3
