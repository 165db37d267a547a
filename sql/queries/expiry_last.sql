-- How long ago expire last ran, in microseconds.
select (extract(epoch from clock_timestamp() - beat) * 1000000)::bigint from fairbridge.expiry where cluster = $1
