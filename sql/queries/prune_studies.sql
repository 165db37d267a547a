-- Forget studies made before $2, some at a time.
delete from fairbridge.studies where id in (select id from fairbridge.studies where cluster = $1 and made < $2 limit 10000)
