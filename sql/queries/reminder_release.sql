-- A message that was claimed and cannot have been sent; its reminders go with it.
delete from fairbridge.idle_messages where cluster = $1 and id = $2 and state = 'claimed'
