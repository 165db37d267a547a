// Package demo shows fairbridge at work: the same seeded day of jobs on a
// throw-away Slurm alone, then on another with the daemon beside it, and what
// changed, in figures made of Slurm's own records.
package demo
