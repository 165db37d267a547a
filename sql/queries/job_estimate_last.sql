-- The last look at a job since it arrived ($3), if it has not started since.
select made, early, middle, late, end_early, end_middle, end_late
  from fairbridge.job_estimates e where cluster = $1 and job = $2 and arrive = $3
   and not exists (select from fairbridge.job_runs r where r.cluster = e.cluster and r.job = e.job and r.arrive = e.arrive and r.started is not null)
 order by made desc limit 1
