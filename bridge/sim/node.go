package sim

import (
	"math/bits"
	"slices"
)

const maxTypes = 4

// node is a machine with what is taken of it.
type node struct {
	Node
	index  int
	parts  []string
	used   [maxTypes]uint64 // devices taken, by type and index
	cpus   int              // taken
	mem    int64            // taken
	jobs   int              // on it
	down   string           // why it is down; "": up
	drain  string           // why it drains; "": it does not
	owners int              // exclusive jobs on it
}

// partition is a queue with its nodes.
type partition struct {
	Partition
	nodes []*node
}

// room is what is free on a node.
type room struct {
	gpus [maxTypes]int
	cpus int
	mem  int64
	jobs int // 0: empty, which exclusive jobs want
}

func (n *node) room() room {
	r := room{cpus: n.CPUs - n.cpus, mem: n.MemMB - n.mem, jobs: n.jobs}
	for i, g := range n.GPUs {
		r.gpus[i] = g.Count - bits.OnesCount64(n.used[i])
	}
	if n.owners > 0 {
		r.cpus = 0
	}
	return r
}

// up reports whether new jobs may start.
func (n *node) up() bool { return n.down == "" && n.drain == "" }

// slot is what a job takes on one node.
type slot struct {
	n    *node
	typ  int // index of the GPU type; -1: no GPUs
	gpus int
	cpus int
	mem  int64
	mask uint64 // the devices, once taken
	all  bool   // exclusive
}

// take gives the slot the lowest free devices.
func (s *slot) take() {
	n := s.n
	if s.typ >= 0 {
		for i, left := 0, s.gpus; left > 0; i++ {
			if n.used[s.typ]&(1<<i) == 0 {
				s.mask |= 1 << i
				left--
			}
		}
		n.used[s.typ] |= s.mask
	}
	n.cpus += s.cpus
	n.mem += s.mem
	n.jobs++
	if s.all {
		n.owners++
	}
}

func (s *slot) free() {
	n := s.n
	if s.typ >= 0 {
		n.used[s.typ] &^= s.mask
	}
	n.cpus -= s.cpus
	n.mem -= s.mem
	n.jobs--
	if s.all {
		n.owners--
	}
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// Down takes a node away: its jobs fail and are requeued where they may be.
func (w *World) Down(name, reason string) error {
	n := w.byName[name]
	if n == nil {
		return problem(BadNode, "Invalid node name specified")
	}
	n.down = reason
	w.logf("node %s down %s", name, reason)
	for _, j := range slices.Clone(w.order) {
		if j.state == running && slices.ContainsFunc(j.slots, func(s slot) bool { return s.n == n }) {
			w.stop(j, "NODE_FAIL", !j.spec.NoRequeue)
		}
	}
	return nil
}

// Drain lets nothing new start on a node.
func (w *World) Drain(name, reason string) error {
	n := w.byName[name]
	if n == nil {
		return problem(BadNode, "Invalid node name specified")
	}
	n.drain = reason
	w.logf("node %s drain %s", name, reason)
	return nil
}

// Resume brings a node back from Down or Drain.
func (w *World) Resume(name string) error {
	n := w.byName[name]
	if n == nil {
		return problem(BadNode, "Invalid node name specified")
	}
	n.down, n.drain = "", ""
	w.logf("node %s up", name)
	w.wake()
	return nil
}
