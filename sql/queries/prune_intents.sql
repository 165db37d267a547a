-- Forget intents closed before $2, some at a time.
delete from fairbridge.intents where id in (
    select id from fairbridge.intents where cluster = $1 and closed < $2 order by closed limit 10000)
