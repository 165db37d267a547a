-- Promises whose deadline is past are looked for by partition.
-- +goose Up

create index deadline_promises_by_deadline on fairbridge.deadline_promises (cluster, partition, deadline);
