-- GPU runs that started from $2 until $3, by partition and by the last decision while the job waited for that run:
-- that it starts, that it does not, or none. A task that came out of its array's record was decided about there.
-- Decisions count from a minute before the run's submission, since a view may show what happened after its time;
-- those of an earlier run (keep, stop) never do. Starts before which no cycle was stored for $4 are left out.
select r.partition, count(*) filter (where d.verb = 'start'), count(*) filter (where d.verb <> 'start'),
       count(*) filter (where d.verb is null)
  from fairbridge.job_runs r
 cross join lateral (select from fairbridge.cycles c
                      where c.cluster = $1 and c.partition = r.partition and c.at between r.started - $4::interval and r.started
                      order by c.at desc limit 1) c
 cross join lateral (select coalesce(
       (select o.verb from fairbridge.decisions o
         where o.cluster = $1 and o.job = r.job and o.partition = r.partition and o.verb in ('start', 'wait', 'hold')
           and o.at >= to_timestamp(r.submit) - interval '1 minute' and o.at < r.started + interval '1 second'
         order by o.at desc limit 1),
       (select a.verb from fairbridge.decisions a
         where a.cluster = $1 and a.job = r.array_job and r.restarts = 0 and a.partition = r.partition and a.verb in ('start', 'wait', 'hold')
           and a.at >= to_timestamp(r.submit) - interval '1 minute' and a.at < r.started + interval '1 second'
         order by a.at desc limit 1)) as verb offset 0) d -- offset: else it is asked once for each count
 where r.cluster = $1 and r.started >= $2 and r.started < $3 and r.gpus > 0
 group by r.partition
