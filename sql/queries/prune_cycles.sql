-- Forget cycles before $2 but the last of each partition, some at a time.
delete from fairbridge.cycles where (cluster, partition, seq) in (
    select cluster, partition, seq from fairbridge.cycles c where cluster = $1 and at < $2
       and seq < (select max(seq) from fairbridge.cycles x where x.cluster = c.cluster and x.partition = c.partition) order by at limit 1000)
