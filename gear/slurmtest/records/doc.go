// Package records writes the records of slurmrestd: jobs, nodes, partitions and
// reservations as each API version shows them. Which key a version has, and what its
// value looks like, is one line of a table.
package records
