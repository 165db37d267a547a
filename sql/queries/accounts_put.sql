-- Make the entitlements of a cluster, as one source ($2) has them, exactly the
-- given ones.
with want as (
    select * from unnest($3::text[], $4::text[], $5::double precision[]) as w (name, parent, weight)
), gone as (
    delete from fairbridge.account_sources a where a.cluster = $1 and a.source = $2 and not a.name = any ($3::text[])
)
insert into fairbridge.account_sources as a (cluster, name, source, parent, weight) select $1, name, $2, parent, weight from want
on conflict (cluster, name, source) do update set parent = excluded.parent, weight = excluded.weight
where (a.parent, a.weight) is distinct from (excluded.parent, excluded.weight)
