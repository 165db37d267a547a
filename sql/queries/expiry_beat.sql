-- Note that expire runs, and answer who leads and since when no daemon does.
-- Holders that end in $2 are expire itself: they are no daemon.
with daemon as (
    select least(expires, clock_timestamp()) as led from fairbridge.leader where cluster = $1 and right(holder, length($2)) <> $2
)
insert into fairbridge.expiry as x (cluster, beat, led)
values ($1, clock_timestamp(), coalesce((select led from daemon), clock_timestamp()))
on conflict (cluster) do update set beat = excluded.beat, led = greatest(x.led, (select led from daemon))
returning (extract(epoch from clock_timestamp() - led) * 1000000)::bigint,
          coalesce((select holder from fairbridge.leader where cluster = $1 and expires > clock_timestamp()), '')
