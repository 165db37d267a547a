-- Who leads, and under which epoch.
select holder, epoch from fairbridge.leader where cluster = $1
