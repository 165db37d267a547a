package records

import (
	"time"

	"fairbridge/bridge/slurm"
)

// Encoder writes the records of one reply.
type Encoder struct {
	Version
	Started time.Time // when slurmctld and the nodes came up
	Changed time.Time // when anything last changed
}

// Jobs writes job records.
func (e *Encoder) Jobs(list []slurm.Job) []any {
	return encodeEach(list, func(j *slurm.Job) any { return jobTable.write(e.Version, job{e.Version, j, e}) })
}

// Nodes writes node records.
func (e *Encoder) Nodes(list []slurm.Node) []any {
	return encodeEach(list, func(n *slurm.Node) any { return nodeTable.write(e.Version, node{e.Version, n, e}) })
}

// Partitions writes partition records, with sums over those of the nodes that
// are theirs. The first partition is the default.
func (e *Encoder) Partitions(list []slurm.Partition, nodes []slurm.Node) []any {
	return encodeEach(list, func(p *slurm.Partition) any {
		return partitionTable.write(e.Version, newPartition(e.Version, p, p == &list[0], nodes))
	})
}

// Reservations writes reservation records.
func (e *Encoder) Reservations(list []slurm.Reservation) []any {
	return encodeEach(list, func(r *slurm.Reservation) any { return reservationTable.write(e.Version, reservation{e.Version, r}) })
}

func encodeEach[R any](list []R, write func(*R) any) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = write(&list[i])
	}
	return out
}
