-- The last looks of a partition ($2) made since $3, and when their jobs first started, oldest first.
select made, raw_early, middle, raw_late, started from (
    select e.made, e.raw_early, e.middle, e.raw_late, e.job,
           (select min(r.started) from fairbridge.job_runs r where r.cluster = e.cluster and r.job = e.job and r.arrive = e.arrive) as started
      from fairbridge.job_estimates e
     where e.cluster = $1 and e.partition = $2 and e.made >= $3
       and exists (select from fairbridge.job_runs r where r.cluster = e.cluster and r.job = e.job and r.arrive = e.arrive
                      and (r.started is not null or not r.closed))
     order by e.made desc, e.job limit 10000) l
 order by made, job
