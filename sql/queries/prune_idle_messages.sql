-- Messages to owners of idle GPUs, with their reminders. One with a job that is still idle stays.
delete from fairbridge.idle_messages where id in (
    select m.id from fairbridge.idle_messages m where m.cluster = $1 and m.at < $2
       and not exists (select from fairbridge.idle_reminders r where r.message = m.id and r.closed is null) limit 5000)
