// Package e2e holds the tests that run fairbridge as its users do: the built
// program beside a real Slurm and a real Postgres, judged by what Slurm itself
// says.
//
// Without more they use the distribution's Slurm, in a throw-away cluster. Other
// releases run where FAIRBRIDGE_SLURM_ROOTS names a directory with their root
// directories (scripts/slurm/root makes them), or are reached where
// FAIRBRIDGE_SLURM_LAB names a directory with the programs that package
// scripts/throwaway describes.
package e2e
