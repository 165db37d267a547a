-- Let the lease run out at once, if it is ours.
update fairbridge.leader set expires = clock_timestamp() where cluster = $1 and holder = $2 and expires > clock_timestamp()
