-- Forget what jobs were told of their deadlines before $2, some at a time.
delete from fairbridge.deadline_promises where (cluster, job, arrive) in (
    select cluster, job, arrive from fairbridge.deadline_promises where cluster = $1 and made < $2 limit 10000)
