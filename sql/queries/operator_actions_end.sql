-- End actions that stand, by id.
update fairbridge.operator_actions set ended = now(), ended_by = $3
 where cluster = $1 and id = any($2) and ended is null and (until is null or until > now())
