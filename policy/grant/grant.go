// Package grant says who holds a lease in the coming round, by counting
// devices. Where they are is for the Placer: a gang that finds no place for its
// lease waits and keeps its credit.
package grant

import (
	"fairbridge/policy/engine"
)

// InOrder grants leases down the line as long as devices last, passing over
// jobs that are too wide for what is left.
type InOrder struct{}

// Lease implements engine.Leaser.
func (InOrder) Lease(r *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	left, grants := NewCounts(r), make([]engine.Grant, len(line))
	for i, e := range line {
		grants[i].Run = Competes(r, e) && left.Take(e.Ask.GPUs.Type, e.Want)
	}
	return grants, nil
}

// Competes reports whether the job competes for a lease: it could start, or runs
// and could be stopped.
func Competes(r *engine.Round, e *engine.Entry) bool {
	switch {
	case e.Unstoppable || e.Want == 0:
		return false
	case e.HoldsGPUs():
		return true
	}
	return r.Startable(e) && r.Possible(e) == nil
}

// Counts are the devices that may be granted, by GPU type.
type Counts []Count

// Count is a number of devices of one type.
type Count struct {
	Type  string
	Free  int
	Slice bool // devices are parts of a GPU, which only an ask of their type gets
}

// NewCounts returns what is free or held by jobs that may be stopped, in order
// of nodes and types.
func NewCounts(r *engine.Round) Counts {
	var c Counts
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			if c.of(d.Type) == nil {
				c = append(c, Count{d.Type, r.Free.TotalFree(d.Type), d.PartPercent != 0 && d.PartPercent != 100})
			}
		}
	}
	for _, e := range r.Active() {
		if e.Unstoppable {
			continue
		}
		for _, slot := range e.On {
			if n := c.of(slot.Type); n != nil {
				n.Free += slot.Count
			}
		}
	}
	return c
}

func (c Counts) of(typ string) *Count {
	for i := range c {
		if c[i].Type == typ {
			return &c[i]
		}
	}
	return nil
}

// Take takes n devices of the type, all of one; of any whole ones if typ is "",
// the type with most left. It reports whether there were as many.
func (c Counts) Take(typ string, n int) bool {
	best := c.of(typ)
	if typ == "" {
		for i := range c {
			if !c[i].Slice && (best == nil || c[i].Free > best.Free) {
				best = &c[i]
			}
		}
	}
	if best == nil || best.Free < n {
		return false
	}
	best.Free -= n
	return true
}
