// Package intake makes a policy's snapshot of Slurm's records, of history and of
// measurements. It is pure.
package intake
