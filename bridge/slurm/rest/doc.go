// Package rest reads Slurm through slurmrestd, whichever of the API versions
// v0.0.38 to v0.0.45 it serves. It cannot write.
//
// A cycle costs what changed: where Slurm lists job states cheaply
// (jobs/state/), details are fetched only of jobs that are new or have moved,
// and everything is read afresh every few minutes. No job is taken for gone
// before Slurm has said so about that job.
package rest
