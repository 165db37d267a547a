-- Jobs of which a reminder has no outcome yet.
select distinct job from fairbridge.idle_reminders where cluster = $1 and closed is null order by job
