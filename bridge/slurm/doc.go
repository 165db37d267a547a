// Package slurm knows Slurm as slurmrestd shows it: one decoder for every API
// version (v0.0.38 to v0.0.45, Slurm 22.05 to 26.05), a table of what each
// version can do, and a client that only reads. Writing is the business of
// package door alone.
//
// Everything from Slurm is parsed here, once, into plain values: missing is
// never zero, and a record whose required fields cannot be read is marked
// Opaque and left alone by everybody.
package slurm
