// Package rest reads Slurm through slurmrestd, whichever API version of its table
// slurmrestd serves. It cannot write.
//
// A cycle costs what changed: where Slurm lists job states cheaply
// (jobs/state/), details are fetched only of jobs that are new or have moved,
// and everything is read afresh every few minutes; sooner when asked to (RequestFullRead), and
// when jobs have ended for which others were kept back. No job is taken for gone
// before Slurm has said so about that job.
package rest
