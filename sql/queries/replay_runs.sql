-- The runs of a partition ($2) that held GPUs at some time between $3 and $4, of
-- jobs that were submitted before $4: by job, oldest first. Runs under way reach to
-- the last view. A run on a number of GPUs that we had set tells what its owner had asked for.
select r.job, r.arrive, r.started, coalesce(r.ended, w.at), r.closed, r.name, r.user_name, r.account, r.qos, r.state, r.gpus,
       coalesce(extract(epoch from r.time_limit), 0)::double precision,
       (select coalesce(array_agg(distinct s.gpu_type order by s.gpu_type), '{}') from fairbridge.run_segments s
         where s.cluster = $1 and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts),
       (select count(distinct s.node)::int from fairbridge.run_segments s
         where s.cluster = $1 and s.job = r.job and s.submit = r.submit and s.restarts = r.restarts),
       exists (select from fairbridge.intents i where i.cluster = $1 and i.job = r.job and i.submit = r.submit and i.restarts = r.restarts
                  and i.kind = 'requeue' and (i.observed is not null or i.state in ('SENT', 'ACKED', 'UNKNOWN', 'OBSERVED'))),
       coalesce((select (i.before->>'gpus')::int from fairbridge.intents i
                  where i.cluster = $1 and i.job = r.job and i.kind = 'gpus' and i.sent is not null and i.made between r.arrive and coalesce(r.ended, w.at)
                    and i.value = r.gpus and (i.before->>'gpus')::int not in (0, r.gpus)
                  order by i.id desc limit 1), 0)
  from fairbridge.job_runs r join fairbridge.watch w using (cluster)
 where r.cluster = $1 and $2 = any (string_to_array(r.partition, ',')) and r.gpus > 0 and r.arrive < $4 and r.started < $4
   and (r.closed and r.ended > $3 or not r.closed)
 order by r.arrive, r.job, r.submit, r.restarts
