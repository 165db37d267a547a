-- Slurm's start estimates against what happened
-- Estimates of waiting jobs made in the time, by how far ahead the start seemed. Late is real start less estimate (negative: earlier); those of jobs that have not started are only counted.
with made as (
    select e.late_seconds, e.started, case when e.estimated - e.made < interval '10 minutes' then 1 when e.estimated - e.made < interval '1 hour' then 2
                when e.estimated - e.made < interval '6 hours' then 3 when e.estimated - e.made < interval '1 day' then 4 else 5 end as ahead
      from fairbridge_v1.start_estimates e
     where e.cluster = $1 and e.made >= $2 and e.made < $3 and ($4::text = '' or e.account = $4) and ($5::text = '' or e.user_name = $5)
)
select (array['under 10 min', '10 min to 1 h', '1 to 6 h', '6 h to 1 d', 'over 1 d'])[m.ahead] as seemed_ahead, count(*) as estimates, count(m.started) as started,
       percentile_cont(0.5) within group (order by m.late_seconds) as median_late_seconds,
       percentile_cont(0.05) within group (order by m.late_seconds) as p5_late_seconds, percentile_cont(0.95) within group (order by m.late_seconds) as p95_late_seconds,
       count(*) filter (where abs(m.late_seconds) <= 600)::float8 / nullif(count(m.started), 0) as within_10_min_share
  from made m group by m.ahead order by m.ahead
