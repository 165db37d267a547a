-- Store start estimates, by column.
insert into fairbridge.start_estimates (cluster, job, arrive, made, start, user_name, account, partition)
select $1, job, arrive, $2, start, user_name, account, partition
  from unnest($3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::text[], $8::text[]) as e (job, arrive, start, user_name, account, partition)
on conflict do nothing
