package pool

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy"
)

// poolModel is a pool as simple as can be: a map that is copied at each mark.
type poolModel struct {
	free  map[policy.Slot]int // by slot with Count 0
	cpus  map[string]int
	held  []heldModel
	marks []poolModel
	mark  int
}

type heldModel struct {
	on   policy.Alloc
	cpus int
}

func (m poolModel) copy() poolModel {
	return poolModel{free: maps.Clone(m.free), cpus: maps.Clone(m.cpus), held: append([]heldModel(nil), m.held...)}
}

func (m *poolModel) change(h heldModel, sign int) bool {
	next := m.copy()
	for _, s := range h.on {
		next.free[policy.Slot{Node: s.Node, Type: s.Type}] += sign * s.Count
		next.cpus[s.Node] += sign * h.cpus / h.on.Count() * s.Count
	}
	for _, n := range next.free {
		if n < 0 {
			return false
		}
	}
	for _, n := range next.cpus {
		if n < 0 {
			return false
		}
	}
	m.free, m.cpus = next.free, next.cpus
	return true
}

func poolSnapshot() *policy.Snapshot {
	gpus := []policy.NodeDevices{{Type: "a100", Count: 5, SickCount: 1}, {Type: "t4", Count: 2}}
	return &policy.Snapshot{Nodes: []policy.Node{
		{Name: "n1", CPUs: 8, MemMB: 100, GPUs: gpus, Partitions: []string{"p"}},
		{Name: "n2", CPUs: 6, MemMB: 100, GPUs: gpus, Partitions: []string{"p"}},
	}}
}

// TestPoolEqualsModel takes, gives, marks and rewinds at random.
func TestPoolEqualsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := poolSnapshot()
		p, m := New(s), poolModel{free: map[policy.Slot]int{}, cpus: map[string]int{"n1": 8, "n2": 6}}
		for _, n := range s.Nodes {
			m.free[policy.Slot{Node: n.Name, Type: "a100"}], m.free[policy.Slot{Node: n.Name, Type: "t4"}] = 4, 2
		}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) { takeBoth(t, p, &m) },
			"give": func(t *rapid.T) {
				if len(m.held) == 0 {
					t.Skip("nothing held")
				}
				h := m.held[len(m.held)-1]
				m.held = m.held[:len(m.held)-1]
				m.change(h, 1)
				p.GiveBack(h.on, h.cpus, int64(h.cpus))
			},
			"mark": func(*rapid.T) {
				c := m.copy()
				c.mark = p.UndoMark()
				m.marks = append(m.marks, c)
			},
			"rewind": func(t *rapid.T) {
				if len(m.marks) == 0 {
					t.Skip("no mark")
				}
				i := rapid.IntRange(0, len(m.marks)-1).Draw(t, "mark")
				old := m.marks[i]
				p.Rewind(old.mark)
				rest := m.marks[:i]
				m = old.copy()
				m.marks = rest
			},
			"": func(t *rapid.T) { sameFree(t, p, m) },
		})
	})
}

func takeBoth(t *rapid.T, p *Pool, m *poolModel) {
	var h heldModel
	for _, node := range []string{"n1", "n2"} {
		for _, typ := range []string{"a100", "t4"} {
			if n := rapid.IntRange(0, 3).Draw(t, node+typ); n > 0 {
				h.on = append(h.on, policy.Slot{Node: node, Type: typ, Count: n})
			}
		}
	}
	if len(h.on) == 0 {
		t.Skip("nothing to take")
	}
	h.cpus = h.on.Count() * rapid.IntRange(0, 2).Draw(t, "cpus each")
	fits := m.change(h, -1)
	if err := p.Take(h.on, h.cpus, int64(h.cpus)); (err == nil) != fits {
		t.Fatalf("Take(%v, %d) = %v, the model says it fits: %v", h.on, h.cpus, err, fits)
	}
	if fits {
		m.held = append(m.held, h)
	}
}

func sameFree(t *rapid.T, p *Pool, m poolModel) {
	total := map[string]int{}
	for s, n := range m.free {
		if got := p.FreeOnNode(s.Node, s.Type); got != n {
			t.Fatalf("Free(%s, %s) = %d, want %d", s.Node, s.Type, got, n)
		}
		total[s.Type] += n
		total[""] += n
	}
	for typ, n := range total {
		if got := p.TotalFree(typ); got != n {
			t.Fatalf("Total(%q) = %d, want %d", typ, got, n)
		}
	}
	for i := range p.nodes {
		if h := &p.nodes[i]; h.freeCPUs != m.cpus[h.Name] {
			t.Fatalf("%d cores free on %s, want %d", h.freeCPUs, h.Name, m.cpus[h.Name])
		}
	}
}

func TestNewPool(t *testing.T) {
	s := poolSnapshot()
	s.Nodes[1].DownReason = "drained"
	s.Jobs = []policy.Job{
		{ID: 1, State: policy.Running, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 2}}, Ask: policy.Ask{CPUs: 3}},
		{ID: 2, State: policy.Suspended, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 1}, {Node: "other", Type: "a100", Count: 4}}},
		{ID: 3, State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}},
		{ID: 4, State: policy.Running, On: policy.Alloc{{Node: "n1", Type: "t4", Count: 3}}}, // one more than there is
	}
	p := New(s)
	for _, c := range []struct {
		node, typ string
		want      int
	}{{"n1", "a100", 1}, {"n1", "t4", 0}, {"n2", "a100", 4}, {"n1", "", 1}, {"other", "a100", 0}, {"n1", "h100", 0}} {
		if got := p.FreeOnNode(c.node, c.typ); got != c.want {
			t.Errorf("Free(%s, %s) = %d, want %d", c.node, c.typ, got, c.want)
		}
	}
	if got := p.TotalFree(""); got != 1 {
		t.Errorf("Total = %d, want 1: nothing of a down node counts", got)
	}
	if p.nodes[0].freeCPUs != 5 {
		t.Errorf("%d cores free on n1, want 5", p.nodes[0].freeCPUs)
	}
	p.GiveBack(s.Jobs[3].On, 0, 0)
	if got := p.FreeOnNode("n1", "t4"); got != 2 {
		t.Errorf("Free(n1, t4) = %d after the overdraft ended, want 2", got)
	}
	c := p.Clone()
	if err := c.Take(policy.Alloc{{Node: "n1", Type: "a100", Count: 1}}, 0, 0); err != nil || p.FreeOnNode("n1", "a100") != 1 {
		t.Errorf("taking of a clone: %v, the original has %d", err, p.FreeOnNode("n1", "a100"))
	}
}
