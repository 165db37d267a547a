// Package e2e holds the tests that run fairbridge as its users do: the built
// program beside a real Slurm and a real Postgres, judged by what Slurm itself
// says.
package e2e
