-- A count of requests that a replica reported; one that is known counts once. What came since its count before, within the hour ($6),
-- is added to those of the hour of its service ($7, $3, $8). Older counts are forgotten, and hours of more than two weeks ago.
with old as (delete from fairbridge.job_requests where cluster = $1 and at < $6),
     old_hours as (delete from fairbridge.service_hours where cluster = $1 and hour < $6 - interval '15 days'),
     before as (select count from fairbridge.job_requests where cluster = $1 and job = $2 and user_name = $3 and at < $4 and at >= $6 order by at desc limit 1),
     new as (insert into fairbridge.job_requests (cluster, job, user_name, at, count) values ($1, $2, $3, $4, $5)
             on conflict (cluster, job, user_name, at) do nothing returning count)
insert into fairbridge.service_hours as h (cluster, account, user_name, service, hour, requests)
select $1, $7, $3, $8, to_timestamp(floor(extract(epoch from $4::timestamptz) / 3600) * 3600), case when n.count >= b.count then n.count - b.count else n.count end
  from new n, before b
on conflict (cluster, account, user_name, service, hour) do update set requests = h.requests + excluded.requests
