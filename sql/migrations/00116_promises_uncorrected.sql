-- Chances are corrected by what came of earlier ones; that learns from what they were before.
-- +goose Up

alter table fairbridge.deadline_promises add column uncorrected double precision;
comment on column fairbridge.deadline_promises.uncorrected is 'The chance before what came of earlier promises corrected it; null: made before promises were corrected, and not learnt from.';
