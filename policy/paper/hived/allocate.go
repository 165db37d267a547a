package hived

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairbridge/policy"
	"fairbridge/policy/cells"
	"fairbridge/policy/engine"
	"fairbridge/policy/place"
	"fairbridge/policy/pool"
)

// memo is which cells running jobs have.
type memo struct {
	Gangs []cells.Adoption `json:"gangs,omitempty"` // in order of the jobs
}

// allocator gives the jobs of one round their cells.
type allocator struct {
	*Policy
	*engine.Round
	last, next memo
	cluster    *cells.Cluster
	mostOnNode map[string]int    // devices on a node, by type; "": of any
	blocked    map[string]string // accounts of which a job waits for cells, and which

	demandByType  map[string]int // see engine.Round.CountTypeDemand
	withoutGuests *pool.Pool     // what is free when all have left that run on cells of others and may be stopped
	verdicts      []verdict      // by Entry.Index
}

// verdict is what becomes of a job.
type verdict struct {
	on       policy.Alloc
	why      string // it has no place
	note     string
	stopsFor string // the job that it makes room for; "": none
	isSimple bool   // cells do not know its devices: slices and shards

	isGuaranteed bool // it waits for cells of its account
}

// Allocate implements engine.Allocator.
func (h *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	h.Round, h.verdicts, h.blocked = r, make([]verdict, len(r.Entries)), map[string]string{}
	if err := h.build(); err != nil {
		return nil, err
	}
	mark := r.FreePool.UndoMark()
	h.adoptAll()
	h.takeBad()
	h.takeUnexplained()
	h.findRoomWithoutGuests()
	line := h.line()
	h.demandByType = r.CountTypeDemand(line)
	for _, e := range line {
		if !e.HoldsGPUs() {
			h.decide(e)
		}
	}
	r.FreePool.Rewind(mark)
	out := make([]engine.Assignment, len(line))
	for i, e := range line {
		v := h.verdicts[e.Index]
		out[i] = e.AssignmentWithoutLease()
		out[i].Alloc, out[i].Note = v.on, v.note
		if v.stopsFor != "" {
			out[i].Grant.StopReason = fmt.Sprintf("runs on cells that job %s of their account has now", v.stopsFor)
		}
		if a, ok := h.cluster.Describe(gangName(e)); ok && (e.HoldsGPUs() || v.on != nil) {
			h.next.Gangs = append(h.next.Gangs, a)
		}
	}
	slices.SortFunc(h.next.Gangs, func(a, b cells.Adoption) int { return strings.Compare(a.Gang, b.Gang) })
	return out, nil
}

// Place implements engine.Placer.
func (h *allocator) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	v := h.verdicts[e.Index]
	switch {
	case v.isSimple:
		return pool.Fit(r.FreePool, e.Partition, e.GangAsk())
	case len(e.WantedAlloc) == 0:
		return nil, errors.New(v.why)
	}
	return place.OnAssignedDevices{}.Place(r, e)
}
