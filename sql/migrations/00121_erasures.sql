-- Users whose rows were made anonymous, without their names.
-- +goose Up

create table fairbridge.erasures (
    id      bigint generated always as identity primary key,
    cluster text        not null,
    at      timestamptz not null default now(),
    done_by text        not null,
    changed bigint      not null default 0
);
comment on table fairbridge.erasures is 'Users who were erased: in their rows stands erased-ID. Whose it was is stored nowhere; done_by is the operator, changed how many rows were changed or deleted.';
