-- One snapshot of each partition for every ten minutes of the hour that begins at $2.
select distinct on (floor(extract(epoch from at) / 600), partition) partition, at, snapshot
  from fairbridge.cycles where cluster = $1 and snapshot is not null and at >= $2 and at < $2::timestamptz + interval '1 hour'
 order by floor(extract(epoch from at) / 600), partition, at desc
