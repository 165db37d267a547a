-- Forget runs that never held anything and closed before $2, some at a time.
delete from fairbridge.job_runs where (cluster, job, submit, restarts) in (
    select cluster, job, submit, restarts from fairbridge.job_runs r where cluster = $1 and closed and last_change < $2 and started is null limit 10000)
