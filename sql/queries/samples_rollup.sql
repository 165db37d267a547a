-- Roll up the samples of the hour that begins at $2. Doing it again gives the
-- same rows. The utilisation of a GPU that jobs share is nobody's.
insert into fairbridge.gpu_hours as h (cluster, hour, job, gpu_type, gpus, samples, busy, busy_max, mem_used, watts,
                                       known, shared, unused, idle, throttled, sick)
select g.cluster, $2::timestamptz, r.job, g.gpu_type, count(distinct r.gpu), count(*),
       avg(r.busy) filter (where r.sharing <= 1), max(r.busy) filter (where r.sharing <= 1), avg(r.mem_used), avg(r.watts),
       count(r.busy) filter (where r.sharing <= 1), count(*) filter (where r.sharing > 1),
       count(*) filter (where r.job <> 0 and r.procs = 0),
       count(*) filter (where r.job <> 0 and r.procs > 0 and r.sharing <= 1 and r.busy < 0.01),
       count(*) filter (where r.throttled), count(*) filter (where r.sick)
  from fairbridge.gpu_readings r join fairbridge.gpus g on g.id = r.gpu and g.cluster = $1
 where r.at >= $2 and r.at < $2::timestamptz + interval '1 hour'
 group by g.cluster, r.job, g.gpu_type
on conflict (cluster, hour, job, gpu_type) do update set
    gpus = excluded.gpus, samples = excluded.samples, busy = excluded.busy, busy_max = excluded.busy_max, mem_used = excluded.mem_used, watts = excluded.watts,
    known = excluded.known, shared = excluded.shared, unused = excluded.unused, idle = excluded.idle, throttled = excluded.throttled, sick = excluded.sick
