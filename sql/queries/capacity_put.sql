-- Store the capacity of an hour, by column, and mark its day.
with rows as (
    insert into fairbridge.capacity_hours (cluster, hour, partition, gpu_type, looks, gpus, held, idle, stranded, away, wanted, unusable, unusable_mean, blocked)
    select $1, $2, * from unnest($3::text[], $4::text[], $5::int[], $6::float8[], $7::float8[], $8::float8[], $9::float8[], $10::float8[], $11::float8[], $12::float8[], $13::float8[], $14::float8[])
), seen as (
    insert into fairbridge.capacity_state as s (cluster, seen) values ($1, $2) on conflict (cluster) do update set seen = greatest(s.seen, excluded.seen)
)
insert into fairbridge.report_marks (cluster, day) values ($1, ($2::timestamptz at time zone 'UTC')::date)
