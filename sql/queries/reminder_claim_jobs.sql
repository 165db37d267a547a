-- The jobs of a message: those of which this step or a later one was told are left out.
insert into fairbridge.idle_reminders (cluster, job, step_s, message, at, user_name, account, partition, gpus, idle_since)
select $1, j.job, j.step_s, $2, $3, $4, j.account, j.partition, j.gpus, j.since
  from unnest($5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::int[], $10::timestamptz[]) j (job, step_s, account, partition, gpus, since)
 where not exists (select from fairbridge.idle_reminders r where r.cluster = $1 and r.job = j.job and r.step_s >= j.step_s)
on conflict (cluster, job, step_s) do nothing
