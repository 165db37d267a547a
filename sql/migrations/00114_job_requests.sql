-- How many requests replicas of inference services reported: how many replicas are needed goes by that.
-- +goose Up

create table fairbridge.job_requests (
    cluster   text             not null,
    job       bigint           not null,
    user_name text             not null,
    at        timestamptz      not null,
    count     double precision not null,
    primary key (cluster, job, user_name, at)
);
create index job_requests_at on fairbridge.job_requests (cluster, at);
comment on table fairbridge.job_requests is 'Requests that a replica answered in its run by a time, by its own report; kept for an hour.';

create table fairbridge.service_hours (
    cluster   text             not null,
    account   text             not null,
    user_name text             not null,
    service   text             not null,
    hour      timestamptz      not null,
    requests  double precision not null,
    primary key (cluster, account, user_name, service, hour)
);
create index service_hours_hour on fairbridge.service_hours (cluster, hour);
comment on table fairbridge.service_hours is 'Requests of an inference service by the hour, from the reports of its replicas; kept for two weeks.';
