-- The job that was last a task of an array.
select job from fairbridge.job_runs
 where cluster = $1 and array_job = $2 and array_task = $3 and (job <> array_job or started is not null) order by submit desc, restarts desc limit 1
