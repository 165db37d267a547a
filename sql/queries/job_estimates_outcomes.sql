-- The last looks of a partition ($2) made since $3, when their jobs first started and that run ended,
-- oldest first.
select made, raw_early, middle, raw_late, started, coalesce(raw_end_early, to_timestamp(0)), end_middle, coalesce(raw_end_late, to_timestamp(0)), ended from (
    select e.made, e.raw_early, e.middle, e.raw_late, e.raw_end_early, e.end_middle, e.raw_end_late, e.job, f.started, f.ended
      from fairbridge.job_estimates e left join lateral (
           select r.started, r.ended from fairbridge.job_runs r where r.cluster = e.cluster and r.job = e.job and r.arrive = e.arrive and r.started is not null
            order by r.started limit 1) f on true
     where e.cluster = $1 and e.partition = $2 and e.made >= $3
       and exists (select from fairbridge.job_runs r where r.cluster = e.cluster and r.job = e.job and r.arrive = e.arrive
                      and (r.started is not null or not r.closed))
     order by e.made desc, e.job limit 10000) l
 order by made, job
