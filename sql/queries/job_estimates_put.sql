-- Store looks at waiting jobs, by column, made at $2. Where $19 says so it takes the place of those of the same hour.
with renewed as (
    delete from fairbridge.job_estimates o using unnest($3::bigint[], $19::bool[]) as r(job, is_renewed)
     where r.is_renewed and o.cluster = $1 and o.job = r.job and o.made >= date_trunc('hour', $2::timestamptz) and o.made < $2)
insert into fairbridge.job_estimates (cluster, made, job, arrive, user_name, account, partition, raw_early, raw_late, early, middle, late, end_early, end_middle, end_late, slurm, raw_end_early, raw_end_late)
select $1, $2, e.*
  from unnest($3::bigint[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[],
              $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::timestamptz[], $17::timestamptz[], $18::timestamptz[]) as e
on conflict do nothing
