-- Idle GPUs as of the last look.
select job, restarts, node, uuid, gpu_type, since, until from fairbridge.idle_spells where cluster = $1
