-- GPUs that running jobs hold idle now
-- Less than 1 % busy in every reading of the last 10 minutes or more before the end of the time asked for; 30 minutes are looked at, so that 30m is that or longer. What was not measured, or is shared, counts as busy.
select g.job, coalesce(max(a.address), g.job::text) as address, g.user_name as "user", g.account, g.node, g.gpu_type, count(*) as measured_gpus,
       count(*) filter (where g.idle_s >= 600) as idle_gpus, min(g.idle_s) filter (where g.idle_s >= 600) as idle_seconds
  from (select i.*, extract(epoch from i.idle_until - i.idle_since)::float8 as idle_s from fairbridge_v1.idle_gpus($1, $3) i
         where $2::timestamptz is not null and ($4::text = '' or i.account = $4) and ($5::text = '' or i.user_name = $5)) g
  left join lateral (select r.address from fairbridge_v1.runs r where r.cluster = $1 and r.job = g.job and r.restarts = g.restarts order by r.started desc nulls last limit 1) a on true
 group by g.job, g.restarts, g.user_name, g.account, g.node, g.gpu_type
having count(*) filter (where g.idle_s >= 600) > 0
 order by idle_gpus desc, idle_seconds desc, g.job, g.node, g.gpu_type limit 1000
