-- Forget snapshots of cycles before $2, some at a time.
update fairbridge.cycles set snapshot = null where (cluster, partition, seq) in (
    select cluster, partition, seq from fairbridge.cycles where cluster = $1 and at < $2 and snapshot is not null order by at limit 1000)
