package astraea

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// supply counts the devices that can be granted, without regard to where they
// are: by type, and all whole GPUs together.
type supply struct {
	types map[string]float64
	part  map[string]bool // types that are parts of a GPU
	whole float64
}

func newSupply(s *policy.Snapshot) *supply {
	u := &supply{types: map[string]float64{}, part: map[string]bool{}}
	for i := range s.Nodes {
		if s.Nodes[i].Down != "" {
			continue
		}
		for _, d := range s.Nodes[i].GPUs {
			u.part[d.Type] = d.Part != 0 && d.Part != 100
			u.add(d.Type, float64(max(d.Count-d.Sick, 0)))
		}
	}
	return u
}

func (u *supply) add(typ string, devices float64) {
	u.types[typ] += devices
	if !u.part[typ] {
		u.whole += devices
	}
}

// hold takes what a running job holds off, on nodes that are up.
func (u *supply) hold(s *policy.Snapshot, e *engine.Entry) {
	for _, slot := range e.On {
		if n := s.Node(slot.Node); n != nil && n.Down == "" {
			u.add(slot.Type, -float64(slot.Count))
		}
	}
}

// grant takes what the entry holds or asks, if it is there.
func (u *supply) grant(e *engine.Entry) bool {
	need, typ := float64(e.Size()), e.Ask.GPUs.Type
	if typ == "" && len(e.On) > 0 {
		typ = e.On.Type()
	}
	switch {
	case typ == "" && u.whole < need:
		return false
	case typ == "":
		u.whole -= need
		return true
	case u.types[typ] < need || !u.part[typ] && u.whole < need:
		return false
	}
	u.add(typ, -need)
	return true
}

// possible remembers which asks could run on the empty cluster.
type possible struct {
	pool  *pool.Pool
	known map[string]bool
}

func newPossible(s *policy.Snapshot) *possible {
	return &possible{pool.Empty(s.Nodes, time.Time{}), map[string]bool{}}
}

func (c *possible) run(j *policy.Job) bool {
	key := fmt.Sprint(j.Partition, j.Ask)
	can, ok := c.known[key]
	if !ok {
		_, err := pool.Fit(c.pool, j.Partition, j.Ask)
		can = err == nil
		c.known[key] = can
	}
	return can
}
