-- Idle and stranded GPUs by day and type
-- Means of the day, as cycles saw the whole cluster. Stranded GPUs are idle, but no core or memory is left on their node; wanted are GPUs that waiting jobs could use (type "any": no type asked for).
select (g.hour at time zone 'UTC')::date as day, coalesce(nullif(g.gpu_type, ''), 'any') as gpu_type, avg(g.gpus) as gpus, avg(g.held_gpus) as held_gpus,
       avg(g.idle_gpus) as idle_gpus, avg(g.stranded_gpus) as stranded_gpus, avg(g.unavailable_gpus) as unavailable_gpus, avg(g.wanted_gpus) as wanted_gpus,
       avg(g.idle_gpus) / nullif(avg(g.gpus), 0) as idle_share
  from fairbridge_v1.gpus_by_hour g
 where g.cluster = $1 and g.partition is null and g.hour >= $2 and g.hour < $3 and $4::text = '' and $5::text = ''
 group by 1, 2 order by 1, 2
