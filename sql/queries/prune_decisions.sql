-- Forget decisions before $2, some at a time.
delete from fairbridge.decisions where (cluster, partition, job, seq) in (
    select cluster, partition, job, seq from fairbridge.decisions where cluster = $1 and at < $2 limit 10000)
