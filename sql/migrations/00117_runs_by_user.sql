-- Who asks about a job is told of its earlier runs.
-- +goose Up

create index job_runs_user_ended on fairbridge.job_runs (cluster, user_name, ended) where closed;
