-- What each GPU of a job showed from $3 to $4, while readings are kept.
select s.node, s.uuid, s.gpu_type, count(*), avg(s.busy)::float8, max(s.busy)::float8, avg(s.mem_used)::float8, max(s.mem_used)::float8,
       min(s.at) filter (where s.busy >= 0.01), max(s.at) filter (where s.busy >= 0.01), min(s.at), max(s.at),
       count(*) filter (where s.procs = 0), count(*) filter (where s.throttled), max(s.sharing)
  from fairbridge.gpu_samples s
 where s.cluster = $1 and s.job = $2 and s.at >= $3 and s.at <= $4
 group by s.node, s.uuid, s.gpu_type order by s.node, s.gpu_type, s.uuid
