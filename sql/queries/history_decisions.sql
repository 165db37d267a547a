-- What was decided about a job since it arrived, newest first; the present
-- decision of each partition comes first and is marked.
select * from (
    select partition, seq, null::timestamptz as at, verb, rank, gpus, alloc, room_for, why, true as now
      from fairbridge.decision_now where cluster = $1 and job = $2
    union all
    (select partition, seq, at, verb, rank, gpus, alloc, room_for, why, false
       from fairbridge.decisions where cluster = $1 and job = $2 and at >= $3 order by at desc, seq desc limit $4)
) d order by now desc, seq desc, partition
