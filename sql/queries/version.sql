-- The newest migration applied.
select coalesce(max(version_id), 0) from fairbridge.schema_version where is_applied
