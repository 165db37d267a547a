-- For which times slurmdbd's rows were read.
select since, through from fairbridge.imports where cluster = $1 order by since
