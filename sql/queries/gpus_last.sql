-- The newest reading since $2 of every GPU of a cluster, by node and GPU.
select g.node, g.uuid, g.gpu_type, r.at, r.busy, r.mem_used, r.watts, r.sick
  from (select distinct on (gpu) gpu, at, busy, mem_used, watts, sick from fairbridge.gpu_readings where at >= $2 order by gpu, at desc) r
  join fairbridge.gpus g on g.id = r.gpu
 where g.cluster = $1 order by g.node, g.uuid, g.gpu_type
