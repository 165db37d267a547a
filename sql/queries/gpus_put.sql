-- Numbers of GPUs, new ones included.
insert into fairbridge.gpus (cluster, node, uuid, gpu_type)
select $1, f.* from unnest($2::text[], $3::text[], $4::text[]) as f
on conflict (cluster, node, uuid, gpu_type) do update set gpu_type = excluded.gpu_type
returning id, node, uuid, gpu_type
