-- Notes what was predicted of runs at their start.
insert into fairbridge.predictions (cluster, job, submit, restarts, model, started, user_name, account, limit_s, mean_s, sigma_s, p10_s, p50_s, p90_s)
select $1, job, submit, restarts, $2, started, user_name, account, nullif(limit_s, 0), mean_s, sigma_s, p10_s, p50_s, p90_s
  from unnest($3::bigint[], $4::bigint[], $5::int[], $6::timestamptz[], $7::text[], $8::text[], $9::double precision[],
              $10::double precision[], $11::double precision[], $12::double precision[], $13::double precision[], $14::double precision[])
       as t (job, submit, restarts, started, user_name, account, limit_s, mean_s, sigma_s, p10_s, p50_s, p90_s)
on conflict do nothing
