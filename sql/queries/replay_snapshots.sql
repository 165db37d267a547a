-- At most about $5 of the stored snapshots of a partition ($2) between $3 and $4,
-- evenly, oldest first.
with kept as (
    select seq, row_number() over (order by seq) as place, count(*) over () as all_of_them
      from fairbridge.cycles where cluster = $1 and partition = $2 and at >= $3 and at < $4 and snapshot is not null
)
select c.snapshot from kept k join fairbridge.cycles c on c.cluster = $1 and c.partition = $2 and c.seq = k.seq
 where k.place % greatest(k.all_of_them / $5::bigint, 1) = 0 order by k.seq
