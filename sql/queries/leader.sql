-- Who leads, since when, and until when at least; holder is who led last where that is over.
select holder, since, expires, expires > clock_timestamp() from fairbridge.leader where cluster = $1
