-- GPU-seconds by user ($6), account ($7), QOS ($8) and GPU type ($9), those
-- that are asked for: held, and charged, decayed with half-life $3 seconds as of $2
-- (what lies before $4 no longer counts), and undecayed over the $5 seconds before
-- $2: allocated, of that measured, and of that busy. Busy is the mean of a job's
-- readings in the window on GPUs that were its own.
with spans as (
    select s.job, case when $6 then s.user_name else '' end as user_name, case when $7 then s.account else '' end as account,
           case when $8 then r.qos else '' end as qos, s.gpu_type, s.gpus * s.part / 100.0::double precision as whole, s.weight,
           extract(epoch from $2::timestamptz - greatest(s.weighed_since, $4))::double precision as old,
           extract(epoch from $2::timestamptz - least(s.weighed_until, $2))::double precision as young
      from fairbridge.weighed_segments s join fairbridge.job_runs r using (cluster, job, submit, restarts)
     where s.cluster = $1 and (s.stopped is null or s.stopped > $4) and s.started < $2 and s.weighed_since < $2
), readings as (
    select job, gpu_type, sum(busy * known) / nullif(sum(known), 0) as busy, sum(known)::double precision / nullif(sum(samples), 0) as known
      from fairbridge.gpu_hours
     where cluster = $1 and hour < $2 and hour > $2::timestamptz - ($5::double precision + 3600) * interval '1 second' and job <> 0
     group by job, gpu_type
)
select s.user_name, s.account, s.qos, case when $9 then s.gpu_type else '' end as gpu_type,
       sum(fairbridge.decayed(whole, old, young, $3)), sum(weight * fairbridge.decayed(whole, old, young, $3)),
       sum(whole * greatest(least(old, $5) - young, 0)),
       coalesce(sum(whole * greatest(least(old, $5) - young, 0) * m.known), 0),
       coalesce(sum(whole * greatest(least(old, $5) - young, 0) * m.known * m.busy), 0)
  from spans s left join readings m on m.job = s.job and m.gpu_type = s.gpu_type
 where old > young
 group by 1, 2, 3, 4 order by 1, 2, 3, 4
