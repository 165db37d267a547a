-- A message that was claimed and cannot have been sent; its reminders go with it, and those that it closed are open again.
with gone as (delete from fairbridge.idle_messages where cluster = $1 and id = $2 and state = 'claimed' returning id, at)
update fairbridge.idle_reminders r set closed = null
  from gone g join fairbridge.idle_reminders c on c.message = g.id
 where r.cluster = $1 and r.job = c.job and r.message <> g.id and r.outcome = 'idle' and r.closed = g.at
