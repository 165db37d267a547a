-- What is in doubt, and since when.
select cause, why, holder, since, at from fairbridge.doubts where cluster = $1 order by since, cause
