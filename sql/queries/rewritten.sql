-- How often old segments were rewritten.
select rewritten from fairbridge.watch where cluster = $1
