-- Waits by account
-- Of jobs that started for the first time in the time, from submission to start; time on hold or behind a dependency counts. Median and 95th percentile to within 10 %.
with jobs as (
    select d.account, sum(d.jobs) as jobs, sum(d.wait_seconds) / sum(d.jobs) as mean_seconds
      from fairbridge_v1.waits_by_user_day d
     where d.cluster = $1 and d.day >= ($2::timestamptz at time zone 'UTC')::date and d.day < $3::timestamptz at time zone 'UTC'
       and ($4::text = '' or d.account = $4) and ($5::text = '' or d.user_name = $5)
     group by d.account
), spread as (
    select s.account, s.value_from, s.value_to, sum(s.jobs) as jobs,
           sum(sum(s.jobs)) over (partition by s.account order by s.value_to) / sum(sum(s.jobs)) over (partition by s.account) as upto
      from fairbridge_v1.spread_by_account_day s
     where s.cluster = $1 and s.measure = 'wait' and s.day >= ($2::timestamptz at time zone 'UTC')::date and s.day < $3::timestamptz at time zone 'UTC'
       and ($4::text = '' or s.account = $4) and $5::text = ''
     group by s.account, s.value_from, s.value_to
)
select j.account, j.jobs::bigint as jobs, j.mean_seconds,
       (select min((s.value_from + s.value_to) / 2) from spread s where s.account = j.account and s.upto >= 0.5) as median_seconds,
       (select min((s.value_from + s.value_to) / 2) from spread s where s.account = j.account and s.upto >= 0.95) as p95_seconds
  from jobs j order by mean_seconds desc, j.account
