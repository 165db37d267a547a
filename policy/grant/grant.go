// Package grant says who holds a lease in the coming round, by counting
// devices. Where they are is for the Placer: a gang that finds no place for its
// lease waits and keeps its credit.
package grant

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// CompetesForLease reports whether the job competes for a lease: it could start, or runs
// and could be stopped.
func CompetesForLease(r *engine.Round, e *engine.Entry) bool {
	switch {
	case e.IsUnstoppable || e.WantedDeviceCount == 0:
		return false
	case e.HoldsGPUs():
		return true
	}
	return r.MayRun(e) && r.CheckEverFits(e) == nil
}

// FreeByType are the devices that may be granted, by GPU type.
type FreeByType []FreeDevices

// FreeDevices is a number of devices of one type.
type FreeDevices struct {
	Type    string
	Count   int
	IsSlice bool // devices are parts of a GPU, which only an ask of their type gets
}

// CountGrantableDevices returns what is free or held by jobs that may be stopped, in order
// of nodes and types.
func CountGrantableDevices(r *engine.Round) FreeByType {
	all := r.ListCapacities(nil)
	c := make(FreeByType, len(all))
	for i := range all {
		c[i] = FreeDevices{all[i].GPUType, all[i].Grantable(), all[i].IsSlice}
	}
	return c
}

func (c FreeByType) findType(typ string) *FreeDevices {
	for i := range c {
		if c[i].Type == typ {
			return &c[i]
		}
	}
	return nil
}

// TakeDevices takes n devices of the type, all of one; of any whole ones if typ is "",
// the type with most left. It reports whether there were as many.
func (c FreeByType) TakeDevices(typ string, n int) bool {
	best := c.findType(typ)
	if typ == "" {
		for i := range c {
			if !c[i].IsSlice && (best == nil || c[i].Count > best.Count) {
				best = &c[i]
			}
		}
	}
	if best == nil || best.Count < n {
		return false
	}
	best.Count -= n
	return true
}

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
