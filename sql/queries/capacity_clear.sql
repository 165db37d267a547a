-- Forget the capacity of an hour, to write it anew.
delete from fairbridge.capacity_hours where cluster = $1 and hour = $2
