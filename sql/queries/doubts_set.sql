-- What is in doubt now: causes of before keep their start, those that are over go. Only who leads is heard.
with leads as (select from fairbridge.leader where cluster = $1 and holder = $2),
     over as (delete from fairbridge.doubts where cluster = $1 and cause <> all ($3::text[]) and exists (select from leads))
insert into fairbridge.doubts as d (cluster, cause, why, holder, since, at)
select $1, cause, why, $2, $5, $5 from unnest($3::text[], $4::text[]) as k (cause, why) where exists (select from leads)
on conflict (cluster, cause) do update set why = excluded.why, holder = excluded.holder, at = excluded.at
