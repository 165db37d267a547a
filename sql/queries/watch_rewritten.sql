-- Say that segments were written that ended long ago.
update fairbridge.watch set rewritten = rewritten + 1 where cluster = $1
