-- What a replay must reproduce.
-- +goose Up
alter table fairbridge.cycles add own_digest text;
comment on column fairbridge.cycles.own_digest is 'SHA-256 of the plan as the policy made it, before the gate; null in cycles of older releases. plan_digest is that of the plan the gate let through.';

-- +goose Down
alter table fairbridge.cycles drop own_digest;
