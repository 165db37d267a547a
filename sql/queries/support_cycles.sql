-- Cycles since $2, newest first, without what they saw: at most $3, each as JSON.
select row_to_json(c)::text from (
    select partition, seq, at, mode, policy, params, decisions, refused, pushed, took
      from fairbridge.cycles where cluster = $1 and at >= $2 order by at desc, partition, seq desc limit $3) c
