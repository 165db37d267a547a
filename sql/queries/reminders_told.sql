-- The last step that was told of each of these jobs.
select job, max(step_s) from fairbridge.idle_reminders where cluster = $1 and job = any($2::bigint[]) group by job
