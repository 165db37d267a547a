-- Reports of speeds, each added to what is known of its job on that size; one that is known counts once.
insert into fairbridge.job_speeds as s (cluster, job, user_name, class, gpu_type, gpus, nodes, batch, reports, mean, m2, batch_range, first_seen, last_seen)
select $1, f.job, f.user_name, f.class, f.gpu_type, f.gpus, f.nodes, f.batch, 1, f.steps, 0, f.batch_range::jsonb, f.at, f.at
  from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::int[], $9::float8[], $10::text[], $11::timestamptz[])
    as f (job, user_name, class, gpu_type, gpus, nodes, batch, steps, batch_range, at)
on conflict (cluster, job, user_name, class, gpu_type, gpus, nodes, batch) do update set
    reports = s.reports + 1,
    mean = s.mean + (excluded.mean - s.mean) / (s.reports + 1),
    m2 = s.m2 + (excluded.mean - s.mean) * (excluded.mean - s.mean) * s.reports / (s.reports + 1),
    batch_range = coalesce(excluded.batch_range, s.batch_range),
    last_seen = excluded.last_seen
 where excluded.last_seen > s.last_seen
