-- These hours got readings. The row is locked even where it is there already,
-- so that a roll-up under way waits for them.
insert into fairbridge.gpu_hours_due (cluster, hour) select $1, unnest($2::timestamptz[])
on conflict (cluster, hour) do update set hour = excluded.hour
