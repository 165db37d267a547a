-- GPU-seconds per user and account as of $2: what is charged of them and what was
-- held, both decayed with half-life $3 seconds, and undecayed what was held in the day
-- before. What lies before $4 no longer counts.
-- Segments that stopped within ($5, $6] are summed, and open ones if $7, in
-- millionths: the last digits of a sum of fractions depend on the order of rows,
-- and where they lie on the disk must not decide who goes first.
with spans as (
    select user_name, account, gpus * part / 100.0::double precision as whole, weight, weighed_since as started, least(weighed_until, $2) as stopped
      from fairbridge.weighed_segments where cluster = $1 and stopped > $5 and stopped <= $6 and stopped is not null
    union all
    select user_name, account, gpus * part / 100.0::double precision, weight, weighed_since, least(weighed_until, $2)
      from fairbridge.weighed_segments where cluster = $1 and stopped is null and $7
), ages as (
    select user_name, account, whole, weight,
           extract(epoch from $2::timestamptz - greatest(started, $4))::double precision as old,
           extract(epoch from $2::timestamptz - stopped)::double precision as young
      from spans where stopped > greatest(started, $4) and started < $2
), uses as (
    select user_name, account, weight, fairbridge.decayed(whole, old, young, $3) as held, whole * greatest(least(old, 86400) - young, 0) as recent
      from ages offset 0 -- so that what decayed is worked out once
)
select user_name, account,
       sum((1000000 * weight * held)::bigint)::double precision / 1000000,
       sum((1000000 * held)::bigint)::double precision / 1000000,
       sum((1000000 * recent)::bigint)::double precision / 1000000
  from uses group by user_name, account order by user_name, account
