// Package e2e holds the tests that run fairbridge as its users do: the built
// program beside a real Slurm and a real Postgres, judged by what Slurm itself
// says.
//
// They use the distribution's Slurm, in throw-away clusters. FAIRBRIDGE_E2E_RELEASE
// names another release, whose root directory (scripts/slurm/root makes it) must be
// in the directory that FAIRBRIDGE_SLURM_ROOTS names.
package e2e
