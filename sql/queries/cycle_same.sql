-- Is the cycle that is there the one we mean?
select epoch = $4 and digest = $5 and plan_digest = $6 from fairbridge.cycles where cluster = $1 and partition = $2 and seq = $3
