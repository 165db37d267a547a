-- The entitlements of a cluster.
select name, parent, weight from fairbridge.accounts where cluster = $1 order by name
