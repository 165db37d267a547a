-- Roll up the runs that ended from $2 up to $3: their whole hours from
-- gpu_hours, which outlive raw readings, and their first and last from the
-- readings. Doing it again gives the same rows.
with ended as (
    select cluster, job, submit, restarts, started, ended,
           date_trunc('hour', started at time zone 'UTC') at time zone 'UTC' as first,
           date_trunc('hour', ended at time zone 'UTC') at time zone 'UTC' as last
      from fairbridge.job_runs
     where cluster = $1 and closed and ended >= $2 and ended < $3 and started <= ended
), measured as (
    select e.job, e.submit, e.restarts, h.gpu_type, h.gpus, h.samples, h.known, h.shared, h.unused, h.idle, h.throttled, h.sick,
           h.busy::double precision * h.known as busy, h.busy_max, h.mem_used, h.watts
      from ended e join fairbridge.gpu_hours h on h.cluster = e.cluster and h.job = e.job and h.hour > e.first and h.hour < e.last
    union all
    select e.job, e.submit, e.restarts, g.gpu_type, count(distinct r.gpu), count(*),
           count(r.busy) filter (where r.sharing <= 1), count(*) filter (where r.sharing > 1),
           count(*) filter (where r.procs = 0), count(*) filter (where r.procs > 0 and r.sharing <= 1 and r.busy < 0.01),
           count(*) filter (where r.throttled), count(*) filter (where r.sick),
           sum(r.busy::double precision) filter (where r.sharing <= 1), max(r.busy) filter (where r.sharing <= 1), avg(r.mem_used), avg(r.watts)
      from ended e
      join fairbridge.gpu_readings r on r.job = e.job and r.at >= e.started and r.at <= e.ended
       and (r.at < e.first + interval '1 hour' or r.at >= e.last)
      join fairbridge.gpus g on g.id = r.gpu and g.cluster = e.cluster
     group by e.job, e.submit, e.restarts, g.gpu_type
)
insert into fairbridge.gpu_runs as u (cluster, job, submit, restarts, gpu_type, gpus, samples, known, shared, unused, idle, throttled, sick,
                                      busy, busy_max, mem_used, watts)
select $1, job, submit, restarts, gpu_type, max(gpus), sum(samples), sum(known), sum(shared), sum(unused), sum(idle), sum(throttled), sum(sick),
       sum(busy) / nullif(sum(known), 0), max(busy_max),
       sum(mem_used * samples) / nullif(sum(samples) filter (where mem_used is not null), 0),
       sum(watts * samples) / nullif(sum(samples) filter (where watts is not null), 0)
  from measured group by job, submit, restarts, gpu_type
on conflict (cluster, job, submit, restarts, gpu_type) do update set
    gpus = excluded.gpus, samples = excluded.samples, known = excluded.known, shared = excluded.shared, unused = excluded.unused, idle = excluded.idle,
    throttled = excluded.throttled, sick = excluded.sick, busy = excluded.busy, busy_max = excluded.busy_max, mem_used = excluded.mem_used, watts = excluded.watts
