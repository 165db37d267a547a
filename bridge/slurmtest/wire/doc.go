// Package wire writes the records of slurmrestd: jobs, nodes, partitions and
// reservations as each API version from v0.0.38 to v0.0.45 shows them. Which
// key a version has, and what its value looks like, is one line of a table.
package wire
