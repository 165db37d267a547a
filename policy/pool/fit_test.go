package pool

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy"
)

func fitSnapshot(t *rapid.T) *policy.Snapshot {
	s := &policy.Snapshot{}
	for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		n := policy.Node{Name: fmt.Sprintf("n%d", i), Partitions: []string{"p"}, CPUs: rapid.IntRange(0, 8).Draw(t, "cpus"), MemMB: 100}
		n.GPUs = []policy.NodeDevices{{Type: "a100", Count: rapid.IntRange(0, 4).Draw(t, "a100")}, {Type: "t4", Count: rapid.IntRange(0, 2).Draw(t, "t4")}}
		if rapid.IntRange(0, 5).Draw(t, "fate") == 0 {
			n.DownReason = "drained"
		}
		if rapid.Bool().Draw(t, "fast") {
			n.Features = []string{"fast"}
		}
		s.Nodes = append(s.Nodes, n)
	}
	return s
}

func drawAsk(t *rapid.T) policy.Ask {
	a := policy.Ask{GPUs: policy.GPUs{Type: rapid.SampledFrom([]string{"a100", "t4", ""}).Draw(t, "type"), Count: rapid.IntRange(1, 8).Draw(t, "count")}}
	a.MinNodes = rapid.IntRange(0, 3).Draw(t, "min nodes")
	if rapid.Bool().Draw(t, "bounded") {
		a.MaxNodes = max(a.MinNodes, 1) + rapid.IntRange(0, 1).Draw(t, "max nodes")
	}
	if rapid.IntRange(0, 2).Draw(t, "even") == 0 {
		a.PerNode = rapid.IntRange(1, 4).Draw(t, "per node")
	}
	a.CPUs = a.GPUs.Count * rapid.IntRange(0, 2).Draw(t, "cpus per GPU")
	if rapid.IntRange(0, 4).Draw(t, "require") == 0 {
		a.RequiredNodes = []string{"n0"}
	}
	if rapid.IntRange(0, 4).Draw(t, "feature") == 0 {
		a.Features = []string{"fast"}
	}
	return a
}

// TestFitIsComplete compares Fit with trying every split over the nodes, and
// its finds with the law.
func TestFitIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a := fitSnapshot(t), drawAsk(t)
		p := New(s)
		on, err := Fit(p, "p", a)
		possible := anySplit(p, a, 0, nil)
		if possible != (err == nil) {
			t.Fatalf("Fit(%+v) = %v, %v; trying everything says %v", a, on, err, possible)
		}
		if fits := p.Fits("p", a); fits != possible {
			t.Fatalf("Fits(%+v) = %v; trying everything says %v", a, fits, possible)
		}
		if err != nil {
			return
		}
		s.Jobs = []policy.Job{{ID: 1, State: policy.Pending, Partition: "p", Ask: a}}
		plan := policy.Plan{Decisions: []policy.Decision{{Job: 1, Verb: policy.Start, Rank: 1, On: on, GPUs: a.GPUs.Count, Why: "fits"}}}
		if err := plan.Check(s); err != nil {
			t.Fatalf("Fit(%+v) = %v: %v", a, on, err)
		}
		if err := p.Take(on, a.CPUs, a.MemMB); err != nil {
			t.Fatalf("Fit(%+v) = %v: %v", a, on, err)
		}
	})
}

// anySplit tries every number of devices on every node from the i-th on.
func anySplit(p *Pool, a policy.Ask, i int, counts []int) bool {
	if i == len(p.nodes) {
		return splitSuits(p, a, counts)
	}
	for c := 0; c <= min(p.nodes[i].usableDevices(p.startTime, "p", &a), a.GPUs.Count); c++ {
		if anySplit(p, a, i+1, append(counts, c)) {
			return true
		}
	}
	return false
}

func splitSuits(p *Pool, a policy.Ask, counts []int) bool {
	sum, nodes, even, required := 0, 0, true, true
	for i, c := range counts {
		sum += c
		if c > 0 {
			nodes++
			even = even && (a.PerNode == 0 || c == a.PerNode)
		} else {
			required = required && !slices.Contains(a.RequiredNodes, p.nodes[i].Name)
		}
	}
	return sum == a.GPUs.Count && nodes >= a.MinNodes && (a.MaxNodes == 0 || nodes <= a.MaxNodes) && even && required
}

func TestFitPrefers(t *testing.T) {
	node := func(name string, free int) policy.Node {
		return policy.Node{Name: name, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: free}}}
	}
	s := &policy.Snapshot{Nodes: []policy.Node{node("a", 8), node("b", 3), node("c", 4), node("d", 8)}}
	ask := func(count, per int) policy.Ask {
		return policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: count}, PerNode: per}
	}
	for _, c := range []struct {
		name string
		ask  policy.Ask
		want string
	}{
		{"the tightest node", ask(3, 0), "b:3×a100"},
		{"the next tightest", ask(4, 0), "c:4×a100"},
		{"few nodes, the last one tight", ask(11, 0), "a:8×a100,b:3×a100"},
		{"even, on the tightest that hold it", ask(6, 3), "b:3×a100,c:3×a100"},
		{"what is required, though another is tighter", policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 3}, RequiredNodes: []string{"d"}}, "d:3×a100"},
		{"everything", ask(23, 0), "a:8×a100,b:3×a100,c:4×a100,d:8×a100"},
	} {
		on, err := Fit(New(s), "p", c.ask)
		if err != nil || on.String() != c.want {
			t.Errorf("%s: Fit = %v, %v; want %s", c.name, on, err, c.want)
		}
	}
}

func TestFitSaysWhatIsMissing(t *testing.T) {
	s := &policy.Snapshot{Nodes: []policy.Node{
		{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 5}}},
		{Name: "n2", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}}},
	}}
	_, err := Fit(New(s), "p", policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 8}, MaxNodes: 1})
	if want := "needs 8 a100 on one node, 5 free on the best node n1, 9 in all it may use"; err == nil || err.Error() != want {
		t.Errorf("Fit: %v, want %s", err, want)
	}
}
