-- The reminders of lower steps: what is idle from now on counts to the next one.
update fairbridge.idle_reminders set closed = $3 where cluster = $1 and job = any($2::bigint[]) and closed is null
