-- The clock of the database.
select clock_timestamp()
