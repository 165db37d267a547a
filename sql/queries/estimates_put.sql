-- Store start estimates, by column.
insert into fairbridge.start_estimates (cluster, job, arrive, made, start)
select $1, job, arrive, $2, start from unnest($3::bigint[], $4::timestamptz[], $5::timestamptz[]) as e (job, arrive, start)
on conflict do nothing
