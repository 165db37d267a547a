-- Makes room for the spells of another look.
delete from fairbridge.idle_spells where cluster = $1
