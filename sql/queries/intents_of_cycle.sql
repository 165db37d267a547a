-- The ids of a cycle's intents in the order they were given.
select id from fairbridge.intents where cluster = $1 and partition = $2 and seq = $3 order by place
