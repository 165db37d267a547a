// Package pack finds places beside running jobs, for jobs whose owners accept a
// neighbour.
//
// Slurm gives whole GPUs to one job only. It can carry such a plan out where
// GPUs are configured as shards, which are devices of a type of their own and
// need no packing here; elsewhere the plan says what sharing would bring.
//
// BesideAssignedPartner serves systems that choose the pairs themselves, ByMemory Salus.
package pack

import (
	"cmp"
	"errors"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

var errNoPartner = errors.New("no running job that takes a neighbour has the same shape and idle GPUs")

// BesideAssignedPartner puts a job on the very devices of the job that its assignment is beside, which
// runs or has just been started.
type BesideAssignedPartner struct{}

// Pack implements engine.Packer.
func (BesideAssignedPartner) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	gang := e.GangAsk()
	i, known := slices.BinarySearchFunc(r.Entries, e.BesideJob, func(h *engine.Entry, id policy.JobID) int { return cmp.Compare(h.ID, id) })
	if !known {
		return engine.SharedPlace{}, errNoPartner
	}
	h := r.Entries[i]
	if !h.Shareable || h.State == policy.Suspended || len(h.PlannedAlloc) == 0 {
		return engine.SharedPlace{}, errNoPartner
	}
	gang.GPUs.Type = cmp.Or(gang.GPUs.Type, h.PlannedAlloc[0].Type)
	if canJoin(r, h, e, gang) {
		return engine.SharedPlace{On: slices.Clone(h.PlannedAlloc), Beside: h.ID}, nil
	}
	return engine.SharedPlace{}, errNoPartner
}
