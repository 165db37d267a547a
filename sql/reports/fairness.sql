-- Slowdown and finish-time fairness by account
-- Of jobs done in the time. Slowdown is (wait + work) / work; rho the same over the mean demand for GPUs per GPU while the job was there (at least 1): above 1 it came off worse than an equal part, unfair is above 1.05. Work repeated after a requeue counts as work.
select o.account, sum(o.jobs)::bigint as jobs, sum(o.slowdown_sum) / nullif(sum(o.jobs), 0) as mean_slowdown,
       sum(o.rho_sum) / nullif(sum(o.rho_jobs), 0) as mean_rho, sum(o.rho_unfair_jobs)::float8 / nullif(sum(o.rho_jobs), 0) as unfair_share,
       sum(o.completed)::bigint as completed, sum(o.failed)::bigint as failed, sum(o.cancelled)::bigint as cancelled, sum(o.timeouts)::bigint as timeouts
  from fairbridge_v1.outcomes_by_user_day o
 where o.cluster = $1 and o.day >= ($2::timestamptz at time zone 'UTC')::date and o.day < $3::timestamptz at time zone 'UTC'
   and ($4::text = '' or o.account = $4) and ($5::text = '' or o.user_name = $5)
 group by o.account order by mean_rho desc nulls last, o.account
