// Package slurmdb reads what slurmdbd, Slurm's accounting database, holds: the
// rows of its job table, its tree of associations, and what its users may do. All come through
// slurmrestd; rows come from the text of sacct too, where there is no REST.
//
// slurmdbd is the authority on the past. Its rows are taken as they are; what
// they mean is the business of accounting/runs.
package slurmdb
