-- Forget what restarts cost that were sent before $2, some at a time.
delete from fairbridge.restart_costs where (cluster, job, requeued) in (
    select cluster, job, requeued from fairbridge.restart_costs where cluster = $1 and requeued < $2 limit 10000)
