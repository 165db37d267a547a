// Package decode reads what slurmrestd sends, of any API version, into the records
// of package slurm.
package decode
