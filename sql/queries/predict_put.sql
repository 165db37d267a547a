-- Stores a model; all but the last few of the cluster are forgotten.
with old as (
    delete from fairbridge.models where cluster = $1 and id <= (
        select id from fairbridge.models where cluster = $1 order by id desc offset 4 limit 1)
)
insert into fairbridge.models (cluster, version, made, since, through, runs, groups, model)
values ($1, $2, $3, $4, $5, $6, $7, $8) returning id
