-- Make the entitlements of a cluster exactly the given ones.
with want as (
    select * from unnest($2::text[], $3::text[], $4::double precision[]) as w (name, parent, weight)
), gone as (
    delete from fairbridge.accounts a where a.cluster = $1 and not a.name = any ($2::text[])
)
insert into fairbridge.accounts as a (cluster, name, parent, weight) select $1, name, parent, weight from want
on conflict (cluster, name) do update set parent = excluded.parent, weight = excluded.weight
