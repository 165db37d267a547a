package harmony

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
)

var now = policytest.SnapshotTime

// nodesOfFour are nodes n1, n2, ... of four GPUs.
func nodesOfFour(n int) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Seq: 1}
	for i := range n {
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprintf("n%d", i+1), Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}})
	}
	return s
}

// add adds a job of a class and a size that runs on a node, or waits ("").
func add(s *policy.Snapshot, class string, gpus int, left time.Duration, node string) {
	j := policy.Job{ID: policy.JobID(len(s.Jobs) + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Hour),
		PredictedLeft: left, Class: class, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: gpus}}}
	if node != "" {
		j.State, j.Start, j.On = policy.Running, now.Add(-time.Minute), policy.Alloc{{Node: node, Type: "g", Count: gpus}}
	}
	s.Jobs = append(s.Jobs, j)
}

// bySpeeds are costs by the speeds of pairs of classes.
func bySpeeds(speeds map[string]float64) func(own, other string) float64 {
	return func(own, other string) float64 {
		if v, ok := speeds[own+other]; ok {
			return -math.Log(v)
		}
		return -math.Log(speeds[other+own])
	}
}

// starts are the jobs that start, each with its node, as "3 n2".
func starts(t *testing.T, s *policy.Snapshot, params paper.Params, cost func(own, other string) float64) string {
	t.Helper()
	p := policytest.NewPolicy(t, System().New, params)
	if cost != nil {
		p = WithTrueCosts(p, cost)
	}
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range plan.Decisions {
		if d.Verb == policy.Start {
			out = append(out, fmt.Sprintf("%d %s", d.Job, strings.Join(d.On.Nodes(), "+")))
		}
	}
	return strings.Join(out, ", ")
}

// TestMicro: two A beside each other have .6 of their speed, A and B .95, two B .85. n1 runs an A and n2 a B.
func TestMicro(t *testing.T) {
	cost := bySpeeds(map[string]float64{"AA": .6, "AB": .95, "BB": .85})
	for _, c := range []struct {
		waiting, want string
	}{{"A", "3 n2"}, {"B", "3 n1"}, {"AB", "3 n2, 4 n1"}, {"BA", "3 n1, 4 n2"}} {
		s := nodesOfFour(2)
		add(s, "A", 2, time.Hour, "n1")
		add(s, "B", 2, time.Hour, "n2")
		for _, class := range c.waiting {
			add(s, string(class), 2, time.Hour, "")
		}
		if got := starts(t, s, nil, cost); got != c.want {
			t.Errorf("%s wait: %s, want %s", c.waiting, got, c.want)
		}
	}
}

// TestLengthCounts: where all cost each other alike, the longer neighbour is the one that is slowed.
func TestLengthCounts(t *testing.T) {
	for weight, want := range map[string]string{"length": "3 n2", "equal": "3 n1"} {
		s := nodesOfFour(2)
		add(s, "A", 2, 10*time.Hour, "n1")
		add(s, "A", 2, 1000*time.Hour, "n2")
		add(s, "A", 2, time.Hour, "")
		if got := starts(t, s, paper.Params{"weight": weight}, bySpeeds(map[string]float64{"AA": .7})); got != want {
			t.Errorf("%s: %s, want %s", weight, got, want)
		}
	}
}

// TestWithoutCosts: where none costs another anything, jobs go where least is left over.
func TestWithoutCosts(t *testing.T) {
	s := nodesOfFour(3)
	add(s, "A", 1, time.Hour, "n2")
	add(s, "B", 2, time.Hour, "n3")
	add(s, "A", 2, time.Hour, "")
	add(s, "B", 3, time.Hour, "")
	if got, want := starts(t, s, paper.Params{"prior": 0.}, nil), "3 n3, 4 n2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSearchIsAsGoodAsAny: of all ways to put three jobs on three nodes that run one each, the search finds a best.
func TestSearchIsAsGoodAsAny(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		speeds := map[string]float64{}
		for a := 'A'; a <= 'F'; a++ {
			for b := 'A'; b <= a; b++ {
				speeds[string(a)+string(b)] = .5 + .5*r.Float64()
			}
		}
		s := nodesOfFour(3)
		for i := range 6 {
			node := ""
			if i < 3 {
				node = fmt.Sprintf("n%d", i+1)
			}
			add(s, string(rune('A'+i)), 1, time.Duration(1+r.IntN(20))*time.Hour, node)
		}
		cost := bySpeeds(speeds)
		best := 0.0
		for places := range 27 {
			best = max(best, rewardOf(s, cost, [3]int{places % 3, places / 3 % 3, places / 9}))
		}
		var at [3]int
		for i, part := range strings.Split(starts(t, s, nil, cost), ", ") {
			if _, err := fmt.Sscanf(part[strings.Index(part, "n"):], "n%d", &at[i]); err != nil {
				t.Fatal(err)
			}
			at[i]--
		}
		if got := rewardOf(s, cost, at); got < best*(1-1e-9) {
			t.Errorf("seed %d: reward %v at %v, and %v is possible", seed, got, at, best)
		}
	}
}

// rewardOf is the reward where the three waiting jobs are on nodes, worked out apart.
func rewardOf(s *policy.Snapshot, cost func(own, other string) float64, at [3]int) float64 {
	where, sum := append([]int{0, 1, 2}, at[:]...), 0.0
	for i := range s.Jobs {
		loss, on := 0.0, 0
		for k := range s.Jobs {
			if where[k] == where[i] {
				if on++; k != i {
					loss += cost(s.Jobs[i].Class, s.Jobs[k].Class) * .5
				}
			}
		}
		sum += math.Exp(-loss) / (s.Jobs[i].PredictedLeft + s.Jobs[i].TotalRunTime()).Hours()
	}
	return sum
}

// TestNamesDoNotCount: other names of nodes change no more than names, where no two nodes are alike.
func TestNamesDoNotCount(t *testing.T) {
	cost := bySpeeds(map[string]float64{"AA": .6, "AB": .95, "BB": .85, "AC": .8, "BC": .7, "CC": .9})
	make := func(names [3]string) string {
		s := nodesOfFour(3)
		for i, class := range []string{"A", "B", "C"} {
			add(s, class, 2, time.Duration(i+1)*time.Hour, names[i])
		}
		for _, class := range []string{"A", "C", "B"} {
			add(s, class, 2, 2*time.Hour, "")
		}
		return strings.NewReplacer(names[0], "x", names[1], "y", names[2], "z").Replace(starts(t, s, nil, cost))
	}
	want := make([3]string{"n1", "n2", "n3"})
	for _, names := range [][3]string{{"n2", "n3", "n1"}, {"n3", "n2", "n1"}} {
		if got := make(names); got != want {
			t.Errorf("with nodes %v: %s, want %s", names, got, want)
		}
	}
}
