-- What one look showed of jobs on their GPUs, added to what is known of them; one that is known counts once.
-- A look that found a job beside others has no busy ($7) and counts for its memory only.
insert into fairbridge.job_profiles as p (cluster, job, user_name, class, mem_mb, looks, busy, mem_busy, first_seen, last_seen)
select $1, f.job, f.user_name, f.class, f.mem_mb, (f.busy is not null)::int, coalesce(f.busy, 0), coalesce(f.mem_busy, 0), f.at, f.at
  from unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[], $7::float8[], $8::float8[]) as f (job, user_name, class, at, mem_mb, busy, mem_busy)
on conflict (cluster, job, user_name, class) do update set
    mem_mb = greatest(p.mem_mb, excluded.mem_mb),
    looks = p.looks + excluded.looks,
    busy = p.busy + (excluded.busy - p.busy) * excluded.looks / greatest(p.looks + excluded.looks, 1),
    mem_busy = p.mem_busy + (excluded.mem_busy - p.mem_busy) * excluded.looks / greatest(p.looks + excluded.looks, 1),
    last_seen = excluded.last_seen
 where excluded.last_seen > p.last_seen
