-- What restarts of ours cost that were sent since $2: the quantile $5 of the newest $3 of each class, and of each account, where $4 at least were measured.
with ranked as (
    select user_name, class, account, seconds, row_number() over (partition by user_name, class order by requeued desc) as of_class,
           row_number() over (partition by account order by requeued desc) as of_account
      from fairbridge.restart_costs where cluster = $1 and requeued > $2
)
select user_name, class, '', count(*), percentile_disc($5::float8) within group (order by seconds)
  from ranked where of_class <= $3 group by user_name, class having count(*) >= $4
union all
select '', '', account, count(*), percentile_disc($5::float8) within group (order by seconds)
  from ranked where of_account <= $3 group by account having count(*) >= $4
