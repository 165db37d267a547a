-- The last cycle of a partition.
select memo::text, seq, policy, params from fairbridge.cycles where cluster = $1 and partition = $2 order by seq desc limit 1
