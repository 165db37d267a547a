-- Remember that slurmdbd's rows from $2 to $3 were read, joined with the times
-- that touch it.
with touching as (
    delete from fairbridge.imports where cluster = $1 and since <= $3 and through >= $2
       and not exists (select from fairbridge.imports i where i.cluster = $1 and i.since <= $2 and i.through >= $3)
    returning since, through
)
insert into fairbridge.imports (cluster, since, through)
select $1, least($2::timestamptz, min(since)), greatest($3::timestamptz, max(through)) from touching
having not exists (select from fairbridge.imports i where i.cluster = $1 and i.since <= $2 and i.through >= $3)
