-- What came of the promises of a partition ($2) made since $3 whose deadline was past by $4, the last $5, oldest first: what was to be corrected, and whether it was met.
select uncorrected, met from (
    select p.uncorrected, v.outcome = 'met' as met, p.deadline, p.job
      from (select * from fairbridge.deadline_promises
             where cluster = $1 and partition = $2 and made >= $3 and deadline < $4 and uncorrected is not null
             order by deadline desc, job desc limit 4 * $5::bigint) p -- of which some say nothing; a large record is not worked out whole
      join fairbridge_v1.deadline_promises v on v.cluster = p.cluster and v.job = p.job and v.arrived = p.arrive
     where v.cluster = $1 and v.made >= $3 and v.outcome in ('met', 'late', 'timeout', 'failed')
     order by p.deadline desc, p.job desc limit $5::bigint
) last order by deadline, job
