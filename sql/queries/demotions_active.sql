-- Demotions that stand now.
select partition, candidate, since, until, demoted_by, why from fairbridge.demotions
 where cluster = $1 and cleared is null and (until is null or until > now()) order by partition, since, id
