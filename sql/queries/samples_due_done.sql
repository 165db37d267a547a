-- Readings of this hour are rolled up; later ones will say so again.
delete from fairbridge.gpu_hours_due where cluster = $1 and hour = $2
