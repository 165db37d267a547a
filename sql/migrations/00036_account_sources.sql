-- One answer to what an account is entitled to, where several sources speak of it.
-- +goose Up
alter table fairbridge.accounts rename to account_sources;
comment on table fairbridge.account_sources is 'What each source says of accounts: weight is the account''s shares within its parent, parent '''' says nothing. Which one holds: fairbridge.accounts.';

create view fairbridge.accounts as
select coalesce(c.cluster, s.cluster) as cluster, coalesce(c.name, s.name) as name,
       coalesce(nullif(c.parent, ''), s.parent, '') as parent, coalesce(c.weight, s.weight) as weight
  from (select * from fairbridge.account_sources where source = 'config') c
  full join (select * from fairbridge.account_sources where source = 'slurmdbd') s on s.cluster = c.cluster and s.name = c.name;
comment on view fairbridge.accounts is 'Entitlements, one row an account: weight is the account''s shares within its parent. What the configuration says of an account overrides what slurmdbd says; an account to which it gives no parent keeps its place in slurmdbd''s tree.';

create or replace view fairbridge.sees as
with recursive below as (
    select c.cluster, c.account from fairbridge.coordinators c join pg_roles r on r.rolname = c.role where pg_has_role(current_user, r.oid, 'usage')
     union
    select a.cluster, a.name from below b join fairbridge.accounts a on a.cluster = b.cluster and a.parent = b.account
)
select cluster, account from below;

-- +goose Down
create or replace view fairbridge.sees as
with recursive below as (
    select c.cluster, c.account from fairbridge.coordinators c join pg_roles r on r.rolname = c.role where pg_has_role(current_user, r.oid, 'usage')
     union
    select a.cluster, a.name from below b join fairbridge.account_sources a on a.cluster = b.cluster and a.parent = b.account
)
select cluster, account from below;
drop view fairbridge.accounts;
alter table fairbridge.account_sources rename to accounts;
comment on table fairbridge.accounts is 'Entitlements: weight is the account''s shares within its parent. What the configuration says of an account overrides what slurmdbd says.';
