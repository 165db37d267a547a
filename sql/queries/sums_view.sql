-- The last view that was recorded.
select at from fairbridge.watch where cluster = $1
