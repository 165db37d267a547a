-- Demote a partition ($2) unless it is demoted.
insert into fairbridge.demotions (cluster, partition, since, until, demoted_by, why)
select $1, $2, $3, $4, $5, $6
 where not exists (select from fairbridge.demotions where cluster = $1 and partition = $2 and cleared is null and (until is null or until > now()))
