-- Take or renew the lease, by the clock of the database. No row: another holds it.
insert into fairbridge.leader as l (cluster, epoch, holder, since, renewed, expires)
values ($1, 1, $2, clock_timestamp(), clock_timestamp(), clock_timestamp() + $3::bigint * interval '1 microsecond')
on conflict (cluster) do update set
    epoch   = case when l.holder = $2 and l.expires > clock_timestamp() then l.epoch else l.epoch + 1 end,
    since   = case when l.holder = $2 and l.expires > clock_timestamp() then l.since else clock_timestamp() end,
    holder  = $2,
    renewed = clock_timestamp(),
    expires = clock_timestamp() + $3::bigint * interval '1 microsecond'
where l.holder = $2 or l.expires <= clock_timestamp()
returning epoch
