-- What was learnt from the record about run times, and what came of it.
-- +goose Up
create table fairbridge.models (
    id       bigint generated always as identity primary key,
    cluster  text        not null,
    version  int         not null,
    made     timestamptz not null,
    since    timestamptz not null,
    through  timestamptz not null,
    runs     int         not null,
    groups   int         not null,
    model    bytea       not null
);
create index models_newest on fairbridge.models (cluster, version, id);
alter table fairbridge.models alter column model set storage external; -- is gzip already
comment on table fairbridge.models is 'Models of run times, fitted to jobs that ended from since to through. version is that of the method; model is gzip of its JSON. The last few are kept.';

create table fairbridge.predictions (
    cluster   text        not null,
    job       bigint      not null,
    submit    bigint      not null,
    restarts  int         not null,
    model     bigint      not null,
    started   timestamptz not null,
    user_name text        not null,
    account   text        not null,
    limit_s   double precision,
    mean_s    double precision not null,
    sigma_s   double precision not null,
    p10_s     double precision not null,
    p50_s     double precision not null,
    p90_s     double precision not null,
    outcome   text,
    actual_s  double precision,
    primary key (cluster, job, submit, restarts)
);
create index predictions_open on fairbridge.predictions (cluster, job) where outcome is null;
create index predictions_started on fairbridge.predictions using brin (started);
comment on table fairbridge.predictions is 'What was predicted of a run at its start, in seconds from then, by a model older than the run. outcome is the state in which it ended, null until then; actual_s how long it ran, null where it was stopped instead of ending.';

create view fairbridge_v1.predictions with (security_barrier) as
select p.cluster, p.job, p.restarts, p.user_name, p.account, p.started, p.model, p.limit_s, p.mean_s, p.sigma_s, p.p10_s, p.p50_s, p.p90_s, p.outcome, p.actual_s,
       p.p50_s - p.actual_s as error_s, p.actual_s between p.p10_s and p.p90_s as within_80
  from fairbridge.predictions p
 where (select yes from fairbridge.sees_all) or (p.cluster, p.account) in (select cluster, account from fairbridge.sees);
comment on view fairbridge_v1.predictions is 'How long each run was predicted to take when it started (mean, its standard error, 10, 50 and 90 % quantiles) and how long it took; actual_s is null while it runs and where it was stopped.';

create view fairbridge_v1.prediction_scores with (security_barrier) as
select p.cluster, p.account, p.user_name, count(*) as runs,
       avg(abs(p.p50_s - p.actual_s)) as mean_error_s,
       percentile_cont(0.5) within group (order by abs(p.p50_s - p.actual_s) / greatest(p.actual_s, 1)) as median_relative_error,
       exp(avg(abs(ln(greatest(p.p50_s, 1) / greatest(p.actual_s, 1))))) as mean_factor,
       exp(avg(abs(ln(greatest(p.limit_s, 1) / greatest(p.actual_s, 1))))) as mean_factor_of_limit,
       avg((p.actual_s <= p.p10_s)::int)::double precision as below_p10,
       avg((p.actual_s <= p.p50_s)::int)::double precision as below_p50,
       avg((p.actual_s <= p.p90_s)::int)::double precision as below_p90,
       avg((p.actual_s between p.p10_s and p.p90_s)::int)::double precision as within_80
  from fairbridge.watch w join fairbridge.predictions p on p.cluster = w.cluster and p.started > w.at - interval '30 days'
 where p.actual_s is not null
   and ((select yes from fairbridge.sees_all) or (p.cluster, p.account) in (select cluster, account from fairbridge.sees))
 group by p.cluster, p.account, p.user_name;
comment on view fairbridge_v1.prediction_scores is 'How good predictions at start were in the 30 days before the last poll, by account and user: errors of the median prediction, the factor by which it was off on average beside that of the time limit, and calibration: below_p10 should be near 0.1, below_p50 near 0.5, below_p90 near 0.9, within_80 near 0.8.';

create view fairbridge_v1.prediction_models as
select cluster, id as model, version, made, since, through, runs, groups from fairbridge.models;
comment on view fairbridge_v1.prediction_models is 'The last models of run times: when each was made, and from which jobs.';

-- +goose Down
drop view fairbridge_v1.prediction_models, fairbridge_v1.prediction_scores, fairbridge_v1.predictions;
drop table fairbridge.predictions, fairbridge.models;
