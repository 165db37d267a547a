// Package slurm has what is known of Slurm as values: its jobs, nodes, partitions
// and reservations, and the edits that are made to them. Package decode reads them
// from every API version that the table of package rest has, rest asks for them, and
// only package writer changes it.
//
// Everything from Slurm is read here, once, into plain values: missing is
// never zero, a text that cannot be read says why (UnreadReason), and a record whose
// required fields cannot be read has an UntrustedReason and is left alone.
package slurm
