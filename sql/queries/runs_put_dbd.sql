-- Insert or update runs as slurmdbd has them, given by column. $2 is the time
-- of the change.
insert into fairbridge.job_runs as r (cluster, job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task,
                                      state, reason, time_limit, gpus, started, ended, closed, exact, authority, first_seen, last_change, digest)
select $1, job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task,
       state, reason, case when limit_s > 0 then limit_s * interval '1 second' end, gpus, started, ended, closed, exact, authority, $2, $2, 0
  from unnest($3::bigint[], $4::bigint[], $5::int[], $6::timestamptz[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
              $13::bigint[], $14::bigint[], $15::text[], $16::text[], $17::bigint[], $18::int[], $19::timestamptz[], $20::timestamptz[], $21::bool[], $22::bool[], $23::bool[])
    as k (job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task, state, reason, limit_s, gpus, started, ended, closed, exact, authority)
on conflict (cluster, job, submit, restarts) do update set
    arrive = excluded.arrive, sluid = excluded.sluid, name = excluded.name, user_name = excluded.user_name, account = excluded.account, qos = excluded.qos,
    partition = excluded.partition, state = excluded.state, reason = excluded.reason, time_limit = excluded.time_limit, gpus = excluded.gpus,
    started = excluded.started, ended = excluded.ended, closed = excluded.closed, exact = excluded.exact, authority = excluded.authority, last_change = $2
