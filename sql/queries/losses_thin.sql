-- Of a job with more than $4 losses, forget every other one, but not the first and the last.
delete from fairbridge.job_losses l using (
    select step, row_number() over (order by step) as place, count(*) over () as n
      from fairbridge.job_losses where cluster = $1 and job = $2 and user_name = $3) o
 where l.cluster = $1 and l.job = $2 and l.user_name = $3 and l.step = o.step and o.n > $4 and o.place % 2 = 0 and o.place < o.n
