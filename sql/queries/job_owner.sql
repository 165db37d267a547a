-- Whose a job is, by its last run.
select user_name, account from fairbridge.job_runs where cluster = $1 and job = $2 order by submit desc, restarts desc limit 1
