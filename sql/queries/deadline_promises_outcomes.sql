-- What came of the promises of a partition ($2) made since $3 whose deadline was past by $4, the last $5, oldest first: what was to be corrected, and whether it was met.
select uncorrected, met from (
    select p.uncorrected, v.outcome = 'met' as met, p.deadline, p.job
      from fairbridge.deadline_promises p join fairbridge_v1.deadline_promises v on v.cluster = p.cluster and v.job = p.job and v.arrived = p.arrive
     where p.cluster = $1 and p.partition = $2 and p.made >= $3 and v.made >= $3 and p.deadline < $4 and p.uncorrected is not null
       and v.outcome in ('met', 'late', 'timeout', 'failed')
     order by p.deadline desc, p.job desc limit $5
) last order by deadline, job
