-- These readings were lost.
insert into fairbridge.gpu_gaps as g (cluster, since, until, readings) values ($1, $2, $3, $4)
on conflict (cluster, since) do update set until = greatest(g.until, excluded.until), readings = g.readings + excluded.readings
