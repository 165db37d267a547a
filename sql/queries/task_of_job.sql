-- Which task of which array a job is, by its last run; no row: no view ever showed it. A record
-- that stands for waiting tasks has the id of its array and never started.
select array_job, array_task, array_job <> 0 and (job <> array_job or started is not null)
  from fairbridge.job_runs where cluster = $1 and job = $2 order by submit desc, restarts desc limit 1
