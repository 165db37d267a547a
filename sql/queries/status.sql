-- Whether the schema is there, and whether anything can be written.
select to_regclass('fairbridge.schema_version') is not null,
       pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
       current_setting('server_version_num')::int
