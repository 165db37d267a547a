-- What was decided about jobs ($4) as of a cycle ($3): their last changes up to it.
select j.job, d.verb, d.gpus, d.alloc, d.room_for
  from unnest($4::bigint[]) as j (job)
 cross join lateral (
       select verb, gpus, alloc, room_for from fairbridge.decisions
        where cluster = $1 and partition = $2 and job = j.job and seq <= $3 order by seq desc limit 1) d
 order by j.job
