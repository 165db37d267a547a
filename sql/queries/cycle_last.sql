-- When the last cycle was, of one partition or, with $2 empty, of any.
select at from fairbridge.cycles where cluster = $1 and ($2 = '' or partition = $2) order by at desc limit 1
