-- Is the epoch still the leader's? The lock keeps it so until the transaction ends.
select epoch, holder, expires > clock_timestamp() from fairbridge.leader where cluster = $1 for share
