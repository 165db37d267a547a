-- What restarts of ours cost: of each report the time from the requeue until the job could start again, and what it ran
-- until it reported $14 of the speed known on that size. Each restart counts once, and none for more than $15 seconds.
insert into fairbridge.restart_costs (cluster, job, requeued, user_name, account, class, seconds)
select $1, f.job, i.sent, f.user_name, f.account, f.class, greatest(extract(epoch from f.eligible - i.sent), 0) + f.ran
  from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::int[], $9::float8[], $10::text[], $11::int[], $12::timestamptz[], $13::float8[])
    as f (job, user_name, class, gpu_type, gpus, nodes, batch, steps, account, restarts, eligible, ran)
 cross join lateral (
       select sent from fairbridge.intents
        where cluster = $1 and job = f.job and kind = 'requeue' and restarts = f.restarts - 1 and sent is not null
          and (observed is not null or state in ('SENT', 'ACKED', 'UNKNOWN')) and sent between f.eligible - interval '1 day' and f.eligible + interval '5 minutes'
        order by id desc limit 1) i
 where greatest(extract(epoch from f.eligible - i.sent), 0) + f.ran <= $15
   and not exists (select from fairbridge.job_speeds s
        where s.cluster = $1 and s.job = f.job and s.user_name = f.user_name and s.class = f.class and s.gpu_type = f.gpu_type and s.gpus = f.gpus
          and s.nodes = f.nodes and s.batch = f.batch and f.steps < $14 * s.mean)
on conflict (cluster, job, requeued) do nothing
