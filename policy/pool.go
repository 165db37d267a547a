package policy

import "slices"

// Pool is what is free: devices by node and type, cores and memory by node.
// Every change is written to an undo log, so a stage may try something and
// Rewind. A Pool is not safe for concurrent use.
type Pool struct {
	nodes []host
	index map[string]int // node name to its place in nodes
	total map[string]int // free devices by type, on nodes that are up
	whole []string       // the types that are whole GPUs, sorted
	open  []uint64       // a bit per node: something is free on it
	log   []change
}

type host struct {
	*Node
	rows []row // by type, sorted
	cpus int   // free cores; negative when more are held than there are
	mem  int64 // free megabytes, likewise
}

type row struct {
	typ   string
	whole bool // devices are whole GPUs
	free  int  // negative when more are held than are healthy
}

type change struct {
	node, row int // row is -1 when only cores and memory change
	count     int // devices given (positive) or taken
	cpus      int
	mem       int64
}

// NewPool returns what is free in the snapshot: healthy devices less what
// running and suspended jobs hold.
func NewPool(s *Snapshot) *Pool {
	p := newEmptyPool(s)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Active() {
			p.change(j.On, -1, j.Ask.CPUs, j.Ask.MemMB)
		}
	}
	p.log = nil
	return p
}

// newEmptyPool returns the healthy devices of the snapshot as if no job ran.
func newEmptyPool(s *Snapshot) *Pool {
	p := &Pool{nodes: make([]host, len(s.Nodes)), open: make([]uint64, (len(s.Nodes)+63)/64), index: make(map[string]int, len(s.Nodes)), total: map[string]int{}}
	sum := 0
	for i := range s.Nodes {
		sum += len(s.Nodes[i].GPUs)
	}
	rows := make([]row, sum)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		p.index[n.Name] = i
		p.nodes[i] = host{Node: n, cpus: n.CPUs, mem: n.MemMB, rows: rows[:0:len(n.GPUs)]}
		rows = rows[len(n.GPUs):]
		for _, d := range n.GPUs {
			if isWhole(d.Part) && !slices.Contains(p.whole, d.Type) {
				p.whole = append(p.whole, d.Type)
			}
			p.nodes[i].rows = append(p.nodes[i].rows, row{d.Type, isWhole(d.Part), 0})
			p.add(change{node: i, row: len(p.nodes[i].rows) - 1, count: d.Count - d.Sick})
		}
	}
	slices.Sort(p.whole)
	return p
}

func isWhole(part int) bool { return part == 0 || part == 100 }

// Clone returns an independent copy with an empty undo log.
func (p *Pool) Clone() *Pool {
	c := &Pool{nodes: slices.Clone(p.nodes), open: slices.Clone(p.open), index: p.index, whole: p.whole, total: make(map[string]int, len(p.total))}
	for i := range c.nodes {
		c.nodes[i].rows = slices.Clone(c.nodes[i].rows)
	}
	for t, n := range p.total {
		c.total[t] = n
	}
	return c
}

// Free returns the free devices of the type on the node, whether or not the
// node is up; type "" counts whole GPUs of every type. It is 0 for a node
// that is not known.
func (p *Pool) Free(node, typ string) int {
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

// Total returns the free devices of the type on all nodes that are up; type ""
// counts every whole GPU.
func (p *Pool) Total(typ string) int {
	if typ != "" {
		return p.total[typ]
	}
	return p.total[anyWhole]
}

// anyWhole is the key of Pool.total that counts whole GPUs of every type; no
// GPU type has a space in its name.
const anyWhole = "any whole"

// Take takes the devices, and the cores and memory of the whole allocation
// split over its nodes by devices. Nothing is taken on error.
func (p *Pool) Take(a Alloc, cpus int, memMB int64) error {
	if err := p.lacks(a, cpus, memMB); err != nil {
		return err
	}
	p.change(a, -1, cpus, memMB)
	return nil
}

// Give puts back what Take took with the same arguments, or what a running
// job holds. Slots of unknown nodes or types are passed over.
func (p *Pool) Give(a Alloc, cpus int, memMB int64) { p.change(a, 1, cpus, memMB) }
