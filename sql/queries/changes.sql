-- Changes in Slurm made since $2, newest first, with whose job each is about: those before the id $3
-- (0: from the newest), of jobs $4, users $5, kinds $6 and states $7 (empty: of any). Where $8 is false
-- they are of jobs of the user $9 or of an account of $10. At most $11: of changes alone where whose they
-- are does not matter, so that it is looked up for those alone.
select i.id, i.cluster, i.epoch, coalesce(i.seq, 0), i.policy, i.job, i.submit, i.restarts, i.sluid, i.kind, i.value, i.until, i.nodes, i.array_task, i.tasks, i.why, i.text,
       i.before, i.state, i.not_after, i.made, i.sent, i.closed, i.error, i.polls,
       coalesce(r.address, i.job::text), coalesce(r.user_name, i.before->>'user', ''), coalesce(r.account, '')
  from (select * from fairbridge.intents
         where cluster = $1 and made >= $2 and ($3 = 0 or id < $3)
           and (cardinality($4::bigint[]) = 0 or job = any($4)) and (cardinality($6::text[]) = 0 or kind = any($6)) and (cardinality($7::text[]) = 0 or state = any($7))
         order by id desc limit case when $8 and cardinality($5::text[]) = 0 then $11::bigint end) i
  left join lateral (select j.user_name, j.account,
                            case when j.array_job <> 0 and (j.job <> j.array_job or j.started is not null) then j.array_job || '_' || j.array_task else j.job::text end as address
                       from fairbridge.job_runs j where j.cluster = i.cluster and j.job = i.job and j.submit <= i.submit order by j.submit desc, j.restarts desc limit 1) r on true
 where (cardinality($5::text[]) = 0 or coalesce(r.user_name, i.before->>'user', '') = any($5))
   and ($8 or coalesce(r.user_name, i.before->>'user', '') = $9 or r.account = any($10::text[]))
 order by i.id desc limit $11::bigint
