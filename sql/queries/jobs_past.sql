-- What earlier runs of the jobs now listed left behind.
with listed as (
    select job, arrive, submit, restarts from fairbridge.job_runs where cluster = $1 and not closed and restarts > 0
)
select l.job, l.arrive,
       (select min(r.started) from fairbridge.job_runs r where r.cluster = $1 and r.job = l.job and r.arrive = l.arrive),
       (select max(r.ended) from fairbridge.job_runs r where r.cluster = $1 and r.job = l.job and r.arrive = l.arrive and r.started is not null and r.ended is not null),
       (select coalesce(sum((10000 * s.gpus * s.part * extract(epoch from s.stopped - s.started))::bigint), 0)::double precision / 1000000 -- exact, in any order
          from fairbridge.job_runs r join fairbridge.run_segments s using (cluster, job, submit, restarts)
         where r.cluster = $1 and r.job = l.job and r.arrive = l.arrive and s.stopped is not null
           and (r.submit, r.restarts) <> (l.submit, l.restarts)),
       (select coalesce(array_agg(coalesce(i.sent, i.made) order by i.id), '{}')
          from fairbridge.intents i
         where i.cluster = $1 and i.job = l.job and i.kind = 'requeue' and i.made >= l.arrive
           and (i.observed is not null or i.state in ('SENT', 'ACKED', 'UNKNOWN')))
  from listed l order by l.job, l.submit
