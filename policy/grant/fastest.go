package grant

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// A move to a faster type must save at least so much of the time a job has left.
const (
	leastSavedPart = .2
	leastSavedTime = 10 * time.Minute
)

// Fastest grants leases down the line as long as devices last, passing over jobs that are too wide for
// what is left. A job that may run on any type is counted on the one that is the fastest for it of those
// that have enough left, and a running one whose reported speeds say that it would gain much there is moved.
type Fastest struct{}

// IsSparable implements engine.Sparable.
func (Fastest) IsSparable(s *policy.Snapshot) bool {
	only := ""
	for i := range s.Nodes {
		for k := range s.Nodes[i].GPUs {
			d := &s.Nodes[i].GPUs[k]
			if only != "" && only != d.Type {
				return false
			}
			only = d.Type
		}
	}
	return true
}

// Lease implements engine.Leaser.
func (Fastest) Lease(r *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	left, grants := CountGrantableDevices(r), make([]engine.Grant, len(line))
	for i, e := range line {
		if !CompetesForLease(r, e) {
			continue
		}
		for _, typ := range typesInOrder(r, e) {
			if left.TakeDevices(typ, e.WantedDeviceCount) {
				grants[i].HasLease = true
				if e.HoldsGPUs() && e.Ask.GPUs.Type == "" && typ != e.On.FirstType() {
					grants[i].GPUType = typ
				}
				break
			}
		}
	}
	return grants, nil
}

// typesInOrder returns the types to count the job on, first choice first. One that runs stays
// where it is unless a move is worth it.
func typesInOrder(r *engine.Round, e *engine.Entry) []string {
	whole := r.FreePool.WholeGPUTypes()
	if e.Ask.GPUs.Type != "" || len(whole) < 2 {
		return []string{e.Ask.GPUs.Type}
	}
	order := slices.Clone(whole)
	r.SortFastestFirst(e.Job, order)
	if !e.HoldsGPUs() {
		return order
	}
	here := e.On.FirstType()
	return append(slices.DeleteFunc(order, func(typ string) bool { return !isWorthMoving(e.Training, here, typ) }), here)
}

// isWorthMoving reports whether a job gains so much by a move from one type to another.
func isWorthMoving(t *policy.Training, from, to string) bool {
	if t == nil || from == to {
		return false
	}
	here, ok := t.TimeLeft(from)
	there, known := t.TimeLeft(to)
	return ok && known && here-there >= max(leastSavedTime, time.Duration(leastSavedPart*float64(here)))
}
