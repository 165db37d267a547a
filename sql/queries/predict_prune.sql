-- Forgets some predictions of runs that started before $2.
delete from fairbridge.predictions where (cluster, job, submit, restarts) in (
    select cluster, job, submit, restarts from fairbridge.predictions where cluster = $1 and started < $2 limit 5000)
