-- Demotions that stood after $2, the newest first.
select partition, candidate, since, until, demoted_by, why, cleared, cleared_by, cleared_why, cleared is null and (until is null or until > now()) as stands
  from fairbridge.demotions where cluster = $1 and (cleared is null and (until is null or until > $2) or cleared > $2) order by since desc, id desc
