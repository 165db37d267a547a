-- Make the segments of some runs ($2..$4) exactly the given ones ($5..).
with runs as (
    select * from unnest($2::bigint[], $3::bigint[], $4::int[]) as k (job, submit, restarts)
), want as (
    select * from unnest($5::bigint[], $6::bigint[], $7::int[], $8::text[], $9::text[], $10::timestamptz[], $11::timestamptz[], $12::int[], $13::int[], $14::text[], $15::text[], $16::text[])
        as w (job, submit, restarts, node, gpu_type, started, stopped, gpus, part, user_name, account, partition)
), gone as (
    delete from fairbridge.run_segments s using runs k
     where s.cluster = $1 and s.job = k.job and s.submit = k.submit and s.restarts = k.restarts
       and not exists (select from want w where (w.job, w.submit, w.restarts, w.node, w.gpu_type, w.started) = (s.job, s.submit, s.restarts, s.node, s.gpu_type, s.started))
)
insert into fairbridge.run_segments as s (cluster, job, submit, restarts, node, gpu_type, started, stopped, gpus, part, user_name, account, partition)
select $1, job, submit, restarts, node, gpu_type, started, stopped, gpus, part, user_name, account, partition from want
on conflict (cluster, job, submit, restarts, node, gpu_type, started) do update set
    stopped = excluded.stopped, gpus = excluded.gpus, part = excluded.part, user_name = excluded.user_name, account = excluded.account, partition = excluded.partition
where (s.stopped, s.gpus, s.part, s.user_name, s.account, s.partition)
    is distinct from (excluded.stopped, excluded.gpus, excluded.part, excluded.user_name, excluded.account, excluded.partition)
