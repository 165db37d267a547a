-- A loss that a job reported; one that is known counts once.
insert into fairbridge.job_losses as l (cluster, job, user_name, step, loss, total_steps, at) values ($1, $2, $3, $4, $5, $6, $7)
on conflict (cluster, job, user_name, step) do update set loss = excluded.loss, total_steps = excluded.total_steps, at = excluded.at
 where excluded.at > l.at
