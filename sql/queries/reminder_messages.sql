-- Messages to each owner in the 24 hours before $2, and of those in the last hour.
select user_name, count(*), count(*) filter (where at > $2::timestamptz - interval '1 hour') from fairbridge.idle_messages
 where cluster = $1 and at > $2 - interval '24 hours' group by user_name
