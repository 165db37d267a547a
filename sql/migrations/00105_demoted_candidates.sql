-- A canary's candidate can be demoted alone.
-- +goose Up

alter table fairbridge.demotions add column candidate text not null default '';
comment on table fairbridge.demotions is 'Partitions that were lowered to mode observe whatever the configuration says, until they were cleared or a time (until) came; where a candidate is named, that candidate of the partition''s canary alone decided on no day.';

create or replace view fairbridge_v1.demotions as
select cluster, partition, since, until, demoted_by, case when (select yes from fairbridge.sees_all) then why end as why, cleared, cleared_by, cleared_why, candidate
  from fairbridge.demotions;
comment on view fairbridge_v1.demotions is 'Partitions that were lowered to mode observe whatever the configuration says: from since until they were cleared or until came (null: it does not by itself), by whom and why (null for coordinators, since accounts may be named). Where candidate is not empty, it was not the partition but that candidate of its canary (policy with its parameters), in whose place the partition''s own policy decided.';
