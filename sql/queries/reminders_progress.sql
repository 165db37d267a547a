-- What came of reminders whose outcome is open.
update fairbridge.idle_reminders r set idle_gpu_s = r.idle_gpu_s + p.idle_s, outcome = p.outcome, closed = case when p.outcome <> 'idle' then $2::timestamptz end
  from unnest($3::bigint[], $4::float8[], $5::text[]) p (job, idle_s, outcome)
 where r.cluster = $1 and r.job = p.job and r.closed is null
