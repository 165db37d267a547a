-- The newest migration applied; goose removes the row on the way down.
select coalesce(max(version_id), 0) from fairbridge.schema_version where is_applied
