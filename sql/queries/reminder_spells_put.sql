-- Idle GPUs of a look.
insert into fairbridge.idle_spells (cluster, job, restarts, node, uuid, gpu_type, since, until)
select $1, s.* from unnest($2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[]) s
on conflict (cluster, job, node, uuid, gpu_type) do nothing
