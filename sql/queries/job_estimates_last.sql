-- The last look, made since $3, at every job of a partition ($2; '': all) that has not started.
select distinct on (job) job, arrive, made, early, middle, late, end_early, end_middle, end_late
  from fairbridge.job_estimates e where cluster = $1 and ($2 = '' or partition = $2) and made >= $3
   and not exists (select from fairbridge.job_runs r where r.cluster = e.cluster and r.job = e.job and r.arrive = e.arrive and r.started is not null)
 order by job, made desc
