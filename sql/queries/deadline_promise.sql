-- What a job ($2) that arrived at $3 was told of its deadline when it was first seen, and what came of it.
select made, deadline, chance, outcome from fairbridge_v1.deadline_promises where cluster = $1 and job = $2 and arrived = $3
