-- Decisions that changed since $2, newest first: at most $3, each as JSON.
select row_to_json(d)::text from (
    select partition, job, seq, at, verb, rank, gpus, alloc as "on", room_for as "for", why
      from fairbridge.decisions where cluster = $1 and at >= $2 order by at desc, partition, job limit $3) d
