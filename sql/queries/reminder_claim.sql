-- A message to an owner, if bounds allow one more: no row where they do not.
insert into fairbridge.idle_messages (cluster, user_name, at, state)
select $1, $2, $3::timestamptz, 'claimed'
 where (select count(*) from fairbridge.idle_messages m where m.cluster = $1 and m.user_name = $2 and m.at > $3 - interval '24 hours') < $4
   and (select count(*) from fairbridge.idle_messages m where m.cluster = $1 and m.at > $3 - interval '1 hour') < $5
returning id
