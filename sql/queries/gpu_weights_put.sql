-- Make the billing weights of a cluster the given ones from $2 on, and note who ($3) said
-- so: a row for each type whose weight changes. A type that is not given has weight 1.
with want as (
    select * from unnest($4::text[], $5::double precision[]) as w (gpu_type, weight)
), last as (
    select distinct on (gpu_type) gpu_type, weight, since from fairbridge.gpu_weights where cluster = $1 order by gpu_type, since desc
)
insert into fairbridge.gpu_weights (cluster, gpu_type, since, weight, author)
select $1, gpu_type, greatest($2::timestamptz, l.since + interval '1 microsecond'), coalesce(w.weight, 1), $3
  from want w full join last l using (gpu_type) where coalesce(w.weight, 1) <> coalesce(l.weight, 1)
on conflict do nothing
