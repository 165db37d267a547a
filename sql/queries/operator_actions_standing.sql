-- What operators did that stands now, oldest first, but for lowered modes (demotions_active.sql).
select id, kind, target, change, author, why, at, until from fairbridge.operator_actions
 where cluster = $1 and kind <> 'mode' and ended is null and (until is null or until > now()) order by id
