-- Forget what a job reported of steps beyond one that it reports later: that work was lost.
delete from fairbridge.job_losses where cluster = $1 and job = $2 and user_name = $3 and step > $4 and at < $5
