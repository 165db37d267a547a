-- The last view of the cluster, locked so that one view at a time is recorded.
select at, before from fairbridge.watch where cluster = $1 for update
