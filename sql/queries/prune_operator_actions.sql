-- Forget what operators did that ended before $2, some at a time.
delete from fairbridge.operator_actions where id in (
    select id from fairbridge.operator_actions where cluster = $1 and coalesce(ended, until) < $2 limit 10000)
