-- What was measured of the newest $3 jobs of each class since $2: the most memory of any, and the mean of their looks; at most $4 rows.
with ranked as (
    select user_name, class, mem_mb, looks, busy, mem_busy, row_number() over (partition by user_name, class order by last_seen desc) as place
      from fairbridge.job_profiles where cluster = $1 and last_seen > $2
)
select user_name, class, max(mem_mb), sum(looks)::bigint, coalesce(sum(busy * looks) / nullif(sum(looks), 0), 0)::float8, coalesce(sum(mem_busy * looks) / nullif(sum(looks), 0), 0)::float8
  from ranked where place <= $3 group by user_name, class limit $4
