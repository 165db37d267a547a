-- Demotions that stand now, with the modes that operators lowered.
select partition, candidate, since, until, demoted_by, why, mode, action from (
    select partition, candidate, since, until, demoted_by, why, '' as mode, 0::bigint as action, id from fairbridge.demotions
     where cluster = $1 and cleared is null and (until is null or until > now())
     union all
    select partition, '', at, until, author, why, mode, id, id from fairbridge.operator_actions
     where cluster = $1 and kind = 'mode' and ended is null and (until is null or until > now())) x
 order by partition, since, id
