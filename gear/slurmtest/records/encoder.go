package records

import (
	"time"

	"fairbridge/bridge/slurm"
)

// Encoder writes the records of one reply.
type Encoder struct {
	Version
	StartedAt time.Time // when slurmctld and the nodes came up
	ChangedAt time.Time // when anything last changed
}

// EncodeJobs writes job records.
func (e *Encoder) EncodeJobs(list []slurm.Job) []any {
	return encodeEach(list, func(j *slurm.Job) any { return jobTable.encodeRecord(e.Version, jobRecord{e.Version, j, e}) })
}

// EncodeNodes writes node records.
func (e *Encoder) EncodeNodes(list []slurm.Node) []any {
	return encodeEach(list, func(n *slurm.Node) any { return nodeTable.encodeRecord(e.Version, nodeRecord{e.Version, n, e}) })
}

// EncodePartitions writes partition records, with sums over those of the nodes that
// are theirs. The first partition is the default.
func (e *Encoder) EncodePartitions(list []slurm.Partition, nodes []slurm.Node) []any {
	return encodeEach(list, func(p *slurm.Partition) any {
		return partitionTable.encodeRecord(e.Version, newPartitionRecord(e.Version, p, p == &list[0], nodes))
	})
}

// EncodeReservations writes reservation records.
func (e *Encoder) EncodeReservations(list []slurm.Reservation) []any {
	return encodeEach(list, func(r *slurm.Reservation) any {
		return reservationTable.encodeRecord(e.Version, reservationRecord{e.Version, r})
	})
}

func encodeEach[R any](list []R, write func(*R) any) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = write(&list[i])
	}
	return out
}
