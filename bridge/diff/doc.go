// Package diff turns a plan into the edits that lead from what Slurm shows to
// what the plan says. It is pure.
package diff
