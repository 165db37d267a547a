-- GPUs that running jobs hold idle now
-- Less than 1 % busy in every reading of the last 10 minutes or more before the end of the time asked for; 30 minutes are looked at, so that 30m is that or longer. What was not measured, or is shared, counts as busy.
with readings as (
    select u.job, u.restarts, u.user_name, u.account, u.gpu_type, u.node, u.uuid, min(u.at) as first_at, max(u.at) as last_at,
           max(u.at) filter (where u.busy is null or u.busy >= 0.01) as busy_at
      from fairbridge_v1.gpu_readings u
     where u.cluster = $1 and $2::timestamptz is not null and u.at > $3::timestamptz - interval '30 minutes' and u.at <= $3 and (u.ended is null or u.ended > $3)
       and ($4::text = '' or u.account = $4) and ($5::text = '' or u.user_name = $5)
     group by u.job, u.restarts, u.user_name, u.account, u.gpu_type, u.node, u.uuid
), gpus as (
    select r.*, case when r.last_at > $3::timestamptz - interval '5 minutes' then extract(epoch from r.last_at - coalesce(r.busy_at, r.first_at))::float8 else 0 end as idle_s
      from readings r
)
select g.job, coalesce(max(a.address), g.job::text) as address, g.user_name as "user", g.account, g.node, g.gpu_type, count(*) as measured_gpus,
       count(*) filter (where g.idle_s >= 600) as idle_gpus, min(g.idle_s) filter (where g.idle_s >= 600) as idle_seconds
  from gpus g
  left join lateral (select r.address from fairbridge_v1.runs r where r.cluster = $1 and r.job = g.job and r.restarts = g.restarts order by r.started desc nulls last limit 1) a on true
 group by g.job, g.restarts, g.user_name, g.account, g.node, g.gpu_type
having count(*) filter (where g.idle_s >= 600) > 0
 order by idle_gpus desc, idle_seconds desc, g.job, g.node, g.gpu_type limit 1000
