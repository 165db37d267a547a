// Package pack finds places beside running jobs, for jobs whose owners accept a
// neighbour.
//
// Slurm gives whole GPUs to one job only. It can carry such a plan out where
// GPUs are configured as shards, which are devices of a type of their own and
// need no packing here; elsewhere the plan says what sharing would bring.
//
// Partner serves Gandiva and Gavel. Beside is for systems to come that pack by
// measured utilisation: Lucid and AntMan.
package pack

import (
	"cmp"
	"errors"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// BesideIdle puts a job on the very devices of one running job that accepts a
// neighbour, has none, holds as many devices of the right type on nodes the
// job may use, and leaves its GPUs idle most of the time by measurement. Of
// several it takes the idlest. Jobs without a measurement get no neighbour.
type BesideIdle struct {
	MaxUtilisation float64 // mean GPU utilisation under which a job may get one, 0..1; 0: 0.3
}

var errNoPartner = errors.New("no running job that takes a neighbour has the same shape and idle GPUs")

// Pack implements engine.Packer.
func (b BesideIdle) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	var best *engine.Entry
	for _, h := range r.RunningEntries() {
		if b.canHost(r, h, e) && (best == nil || compareUtilisation(h, best) < 0) {
			best = h
		}
	}
	if best == nil {
		return engine.SharedPlace{}, errNoPartner
	}
	return engine.SharedPlace{On: slices.Clone(best.On), Beside: best.ID}, nil
}

func compareUtilisation(a, b *engine.Entry) int {
	return cmp.Or(cmp.Compare(a.Utilisation.Value, b.Utilisation.Value), cmp.Compare(a.ID, b.ID))
}

func (b BesideIdle) canHost(r *engine.Round, h, e *engine.Entry) bool {
	below := cmp.Or(b.MaxUtilisation, 0.3)
	return h.Shareable && h.State == policy.Running && h.PlannedAlloc.Equal(h.On) && h.Utilisation.Known && h.Utilisation.Value < below &&
		e.Ask.GPUs.Type != "" && canJoin(r, h, e, e.GangAsk()) // of any type, it can wait for a GPU of its own
}

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
