-- Demote a partition ($2), or the candidate ($7) of its canary, unless that is demoted.
insert into fairbridge.demotions (cluster, partition, since, until, demoted_by, why, candidate)
select $1, $2, $3, $4, $5, $6, $7
 where not exists (select from fairbridge.demotions where cluster = $1 and partition = $2 and candidate = $7 and cleared is null and (until is null or until > now()))
