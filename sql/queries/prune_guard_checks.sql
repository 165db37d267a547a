-- Forget checks of the harm guard made before $2, some at a time.
delete from fairbridge.guard_checks where (cluster, partition, at) in (
    select cluster, partition, at from fairbridge.guard_checks where cluster = $1 and at < $2 limit 10000)
