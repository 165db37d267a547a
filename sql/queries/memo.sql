-- The number of the last cycle of a partition ($2), and what a policy ($3) with its parameters ($4)
-- remembered in the last that it decided of the 30,000 before that, ten days: a canary decides on
-- some days only.
select (select memo::text from fairbridge.cycles
         where cluster = $1 and partition = $2 and seq > l.seq - 30000 and policy = $3 and params = $4 order by seq desc limit 1), l.seq
  from (select seq from fairbridge.cycles where cluster = $1 and partition = $2 order by seq desc limit 1) l
