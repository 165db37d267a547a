-- End the demotions of a partition ($2), those of candidates among them.
update fairbridge.demotions set cleared = now(), cleared_by = $3, cleared_why = $4
 where cluster = $1 and partition = $2 and cleared is null and (until is null or until > now())
