// Package grant says who holds a lease in the coming round, by counting
// devices. Where they are is for the Placer: a gang that finds no place for its
// lease waits and keeps its credit.
package grant

import (
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
