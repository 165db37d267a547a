-- That something outside the daemon ends what the daemon leaves in Slurm.
-- +goose Up
create table fairbridge.expiry (
    cluster text primary key,
    beat    timestamptz not null,
    led     timestamptz not null
);
comment on table fairbridge.expiry is 'When fairbridge expire, run by a timer, could last have given back what a dead daemon left (beat), and when a daemon was last seen to lead (led). Jobs are bound to nodes only while beat is fresh.';

-- +goose Down
drop table fairbridge.expiry;
