-- Demotions that stood after $2, with the modes that operators lowered, the newest first.
select partition, candidate, since, until, demoted_by, why, mode, action, cleared, cleared_by, cleared_why, stands from (
    select partition, candidate, since, until, demoted_by, why, '' as mode, 0::bigint as action, cleared, cleared_by, cleared_why,
           cleared is null and (until is null or until > now()) as stands, id
      from fairbridge.demotions where cluster = $1 and (cleared is null and (until is null or until > $2) or cleared > $2)
     union all
    select partition, '', at, until, author, why, mode, id, ended, ended_by, '', ended is null and (until is null or until > now()), id
      from fairbridge.operator_actions where cluster = $1 and kind = 'mode' and (ended is null and (until is null or until > $2) or ended > greatest($2, at))) x
 order by since desc, id desc
