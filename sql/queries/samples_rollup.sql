-- Roll up the samples of the hour that begins at $2. Doing it again gives the
-- same rows.
insert into fairbridge.gpu_hours as h (cluster, hour, job, gpu_type, gpus, samples, busy, busy_max, mem_used, watts)
select cluster, $2::timestamptz, job, gpu_type, count(distinct (node, uuid)), count(*), avg(busy), max(busy), avg(mem_used), avg(watts)
  from fairbridge.gpu_samples where cluster = $1 and at >= $2 and at < $2::timestamptz + interval '1 hour'
 group by cluster, job, gpu_type
on conflict (cluster, hour, job, gpu_type) do update set
    gpus = excluded.gpus, samples = excluded.samples, busy = excluded.busy, busy_max = excluded.busy_max, mem_used = excluded.mem_used, watts = excluded.watts
