package pool

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// Pool is what is free: devices by node and type, cores and memory by node.
// Every change is written to an undo log, so a stage may try something and
// Rewind. A Pool is not safe for concurrent use.
type Pool struct {
	nodes   []host
	index   map[string]int // node name to its place in nodes
	totals  []total        // by type
	wholes  int            // free whole GPUs of all types, on nodes that are up
	whole   []string       // the types that are whole GPUs, the fastest first
	open    []uint64       // a bit per node: something is free on it
	log     []change
	scratch []Room    // see fit
	from    time.Time // when what is placed begins; zero: windows do not count
	edges   []time.Duration
}

type host struct {
	*policy.Node
	rows []row // by type, sorted
	cpus int   // free cores; negative when more are held than there are
	mem  int64 // free megabytes, likewise
}

type row struct {
	typ   string
	whole bool // devices are whole GPUs
	free  int  // negative when more are held than are healthy
}

// total is the free devices of a type on nodes that are up.
type total struct {
	typ  string
	free int
}

type change struct {
	node, row int // row is -1 when only cores and memory change
	count     int // devices given (positive) or taken
	cpus      int
	mem       int64
}

// New returns what is free in the snapshot: healthy devices less what
// running and suspended jobs hold.
func New(s *policy.Snapshot) *Pool {
	p := &Pool{nodes: make([]host, len(s.Nodes)), index: make(map[string]int, len(s.Nodes)), from: s.Now, edges: edges(s)}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		p.index[n.Name] = i
		p.nodes[i].Node = n
		for _, d := range n.GPUs {
			p.know(d)
		}
	}
	s.Fastest(nil, p.whole)
	slices.Sort(p.edges)
	p.edges = slices.Compact(p.edges)
	p.fill()
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Active() {
			p.change(j.On, -1, j.Ask.CPUs, j.Ask.MemMB)
		}
	}
	p.log = p.log[:0]
	return p
}

// know adds the devices' type to those of the pool.
func (p *Pool) know(d policy.Devices) {
	if p.total(d.Type) == nil {
		p.totals = append(p.totals, total{typ: d.Type})
	}
	if d.IsWhole() && !slices.Contains(p.whole, d.Type) {
		p.whole = append(p.whole, d.Type)
	}
}

// fill makes every healthy device free.
func (p *Pool) fill() {
	sum := 0
	for i := range p.nodes {
		sum += len(p.nodes[i].GPUs)
	}
	p.open = make([]uint64, (len(p.nodes)+63)/64)
	rows := make([]row, sum)
	for i := range p.nodes {
		h := &p.nodes[i]
		h.cpus, h.mem, h.rows = h.CPUs, h.MemMB, rows[:0:len(h.GPUs)]
		rows = rows[len(h.GPUs):]
		for _, d := range h.GPUs {
			h.rows = append(h.rows, row{d.Type, d.IsWhole(), 0})
			p.add(change{node: i, row: len(h.rows) - 1, count: d.Count - d.Sick})
		}
	}
}

// Empty returns the healthy devices of the nodes as if no job ran at a moment.
// At the zero time none is set aside either: that could ever be given out.
func Empty(nodes []policy.Node, at time.Time) *Pool {
	p := New(&policy.Snapshot{Nodes: nodes, Now: at})
	for i := range p.nodes {
		for _, o := range p.nodes[i].Others {
			p.add(change{node: i, row: -1, cpus: o.CPUs, mem: o.MemMB})
		}
	}
	return p
}

// Clone returns an independent copy with an empty undo log.
func (p *Pool) Clone() *Pool {
	c := &Pool{nodes: slices.Clone(p.nodes), open: slices.Clone(p.open), index: p.index, whole: p.whole, totals: slices.Clone(p.totals),
		wholes: p.wholes, from: p.from, edges: p.edges}
	for i := range c.nodes {
		c.nodes[i].rows = slices.Clone(c.nodes[i].rows)
	}
	return c
}

// FreeOn returns the free devices of the type on the node, whether or not the
// node is up; type "" counts whole GPUs of every type. It is 0 for a node
// that is not known.
func (p *Pool) FreeOn(node, typ string) int {
	i, ok := p.index[node]
	if !ok {
		return 0
	}
	return p.nodes[i].free(typ)
}

// Overdrawn reports whether jobs hold more devices of the type on the node
// than are healthy: they share some, or some fell sick under them.
func (p *Pool) Overdrawn(node, typ string) bool {
	i, ok := p.index[node]
	if !ok {
		return false
	}
	r := p.nodes[i].row(typ)
	return r >= 0 && p.nodes[i].rows[r].free < 0
}

func (h *host) free(typ string) int {
	n := 0
	for _, r := range h.rows {
		if r.matches(typ) {
			n += max(r.free, 0)
		}
	}
	return n
}

func (r row) matches(typ string) bool { return r.typ == typ || typ == "" && r.whole }

// TotalFree returns the free devices of the type on all nodes that are up; type ""
// counts every whole GPU.
func (p *Pool) TotalFree(typ string) int {
	if typ == "" {
		return p.wholes
	}
	if t := p.total(typ); t != nil {
		return t.free
	}
	return 0
}

func (p *Pool) total(typ string) *total {
	for i := range p.totals {
		if p.totals[i].typ == typ {
			return &p.totals[i]
		}
	}
	return nil
}

// Take takes the devices, and the cores and memory of the whole allocation
// split over its nodes by devices. Nothing is taken on error.
func (p *Pool) Take(a policy.Alloc, cpus int, memMB int64) error {
	if err := p.lacks(a, cpus, memMB); err != nil {
		return err
	}
	p.change(a, -1, cpus, memMB)
	return nil
}

// Give puts back what Take took with the same arguments, or what a running
// job holds. Slots of unknown nodes or types are passed over.
func (p *Pool) Give(a policy.Alloc, cpus int, memMB int64) { p.change(a, 1, cpus, memMB) }

// Overdraw takes the devices, cores and memory whether or not they are free.
func (p *Pool) Overdraw(a policy.Alloc, cpus int, memMB int64) { p.change(a, -1, cpus, memMB) }

// GiveNode gives back cores and memory of the node with the number in the
// snapshot.
func (p *Pool) GiveNode(node, cpus int, memMB int64) {
	p.add(change{node: node, row: -1, cpus: cpus, mem: memMB})
}

// WholeTypes returns the types that are whole GPUs, the fastest first. It is the
// Pool's own.
func (p *Pool) WholeTypes() []string { return p.whole }

// HasType reports whether there are GPUs of the type, free or not.
func (p *Pool) HasType(typ string) bool { return p.total(typ) != nil }

// HasWindows reports whether nodes are set aside, now or later.
func (p *Pool) HasWindows() bool { return len(p.edges) > 0 }
