// Package accounting keeps what fairbridge knows of the past in Postgres: who
// leads, cycles with their decisions, the ledger of intents, runs of jobs and
// the GPUs they held. It implements the ports Journal, Leadership and History
// of package bridge.
//
// Every write is idempotent by key, so an unknown outcome of a commit is
// answered by doing it again. Usage is always computed from run segments and
// never accumulated.
package accounting
