-- What became of a message.
update fairbridge.idle_messages set state = $3, sent_by = $4, error = $5 where cluster = $1 and id = $2 and state = 'claimed'
