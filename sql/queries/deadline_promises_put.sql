-- Keep what jobs were told of their deadlines, by column, at $2; of those that were told before, and are not due yet, only what their deadline is now (null: none).
with look as (
    select * from unnest($3::bigint[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::bool[], $10::float8[], $11::float8[]) as l(job, arrive, user_name, account, partition, deadline, is_soft, chance, uncorrected)),
changed as (
    update fairbridge.deadline_promises p set last_deadline = l.deadline from look l
     where p.cluster = $1 and p.job = l.job and p.arrive = l.arrive and p.deadline > $2 and p.last_deadline is distinct from l.deadline)
insert into fairbridge.deadline_promises (cluster, made, job, arrive, user_name, account, partition, deadline, is_soft, chance, uncorrected, last_deadline)
select $1, $2, job, arrive, user_name, account, partition, deadline, is_soft, chance, uncorrected, deadline from look where deadline is not null and chance > 0
on conflict do nothing
