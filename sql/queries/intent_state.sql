-- How an intent stands, to say why it could not be marked.
select i.state, i.epoch, coalesce(l.epoch, 0), coalesce(l.holder, ''), coalesce(l.expires > clock_timestamp(), false)
  from fairbridge.intents i left join fairbridge.leader l using (cluster) where i.id = $1
