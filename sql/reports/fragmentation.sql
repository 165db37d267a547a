-- Free GPUs that waiting jobs could not use, by day and type
-- Means of the day, as cycles saw the whole cluster. Unusable GPUs are free, but stand where none of the waiting jobs could use them (too few on a node, no cores or memory left with them, a reservation in the way); mean_unusable are those that one of the waiting jobs could not use, on average. Blocked GPUs are asked for by jobs that waited although as many were free where they may run: they would have started had those stood together (type "any": no type asked for).
select (g.hour at time zone 'UTC')::date as day, coalesce(nullif(g.gpu_type, ''), 'any') as gpu_type, avg(g.idle_gpus) as idle_gpus, avg(g.unusable_gpus) as unusable_gpus,
       avg(g.mean_unusable_gpus) as mean_unusable_gpus, avg(g.blocked_gpus) as blocked_gpus, avg(g.wanted_gpus) as wanted_gpus,
       avg(g.unusable_gpus) / nullif(avg(g.idle_gpus), 0) as unusable_share
  from fairbridge_v1.gpus_by_hour g
 where g.cluster = $1 and g.partition is null and g.hour >= $2 and g.hour < $3 and g.unusable_gpus is not null and $4::text = '' and $5::text = ''
 group by 1, 2 order by 1, 2
