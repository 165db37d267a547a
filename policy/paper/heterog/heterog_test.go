package heterog

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// speedsOf are speeds of the whole gang by type: 6:3 is 6 on type t0 and 3 on type t1.
func speedsOf(speeds ...float64) *gangSpeeds {
	g := &gangSpeeds{}
	for i, v := range speeds {
		g.types = append(g.types, typeSpeed{fmt.Sprint("t", i), v})
	}
	return g
}

func onTypes(counts ...int) policy.Alloc {
	var on policy.Alloc
	for i, n := range counts {
		if n > 0 {
			on = append(on, policy.Slot{Node: fmt.Sprint("n", i), Type: fmt.Sprint("t", i), Count: n})
		}
	}
	return on
}

// TestMicro: one GPU is twice as fast as the other, and a batch of 96 takes the fast one 48 units of time. Two
// GPUs, one of each: with equal parts 48, with parts of 64 and 32 the batch takes 32; where exchanging
// takes 8 units it takes 40, which is worth it, and where it takes 16, 48, which is not.
func TestMicro(t *testing.T) {
	const batch = 96.
	g := speedsOf(2*2/batch, 2*1/batch) // two fast ones, two slow ones
	pair, fastPair := onTypes(1, 1), 2*2/batch
	for _, c := range []struct {
		mix   string
		sync  float64
		takes float64
	}{{mixEven, 0, 48}, {mixProportional, 0, 32}, {mixProportional, 8, 40}, {mixProportional, 16, 48}} {
		if got := 1 / g.speed(pair, c.mix, c.sync*fastPair); math.Abs(got-c.takes) > 1e-9 {
			t.Errorf("%s, exchanging takes %g: a batch takes %g, want %g", c.mix, c.sync, got, c.takes)
		}
	}
	if shares := g.shares(pair); math.Abs(shares.ShareOf("t0")*batch-64) > 1e-9 || math.Abs(shares.ShareOf("t1")*batch-32) > 1e-9 {
		t.Errorf("parts %v", shares)
	}
}

// TestProportionalIsNeverSlower than equal parts, nor than as many GPUs of the slowest type among them, and a type's
// name plays no part.
func TestProportionalIsNeverSlower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "types")
		speeds, counts := make([]float64, n), make([]int, n)
		slowest, all := math.Inf(1), 0
		for i := range speeds {
			speeds[i], counts[i] = rapid.Float64Range(.1, 9).Draw(t, "speed"), rapid.IntRange(1, 8).Draw(t, "count")
			slowest, all = min(slowest, speeds[i]), all+counts[i]
		}
		cost := rapid.Float64Range(0, .3).Draw(t, "cost")
		g, on := speedsOf(speeds...), onTypes(counts...)
		prop, even, free := g.speed(on, mixProportional, cost), g.speed(on, mixEven, cost), g.speed(on, mixProportional, 0)
		if prop < even-1e-9 || free < slowest-1e-9 || prop > free+1e-9 {
			t.Fatalf("%v on %v: proportional %g, equal parts %g, without cost %g, slowest %g", speeds, counts, prop, even, free, slowest)
		}
		sum := 0.0
		for _, slot := range on {
			sum += g.shares(on).ShareOf(slot.Type) * float64(slot.Count)
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("parts make %g", sum)
		}
		for i := range g.types { // renamed, and where the names say
			g.types[i].name, on[i].Type = "x"+g.types[i].name, "x"+on[i].Type
		}
		if again := g.speed(on, mixProportional, cost); again != prop {
			t.Fatalf("renamed: %g instead of %g", again, prop)
		}
	})
}

// crowd has so many free GPUs of each type on nodes of their own, and one waiting job of so many GPUs that accepts
// several types.
func crowd(free []int, speeds []float64, devices int) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime}
	rates := []policy.Rate{}
	for i, n := range free {
		typ := fmt.Sprint("t", i)
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprint("n", i), Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: typ, Count: n}}})
		rates = append(rates, policy.Rate{Type: typ, StepsPerSecond: speeds[i]})
	}
	s.Jobs = []policy.Job{{ID: 1, User: "u", Partition: "p", State: policy.Pending, Arrive: s.Now.Add(-time.Minute), Ask: policy.Ask{GPUs: policy.GPUs{Count: devices}},
		AcceptsMixedTypes: true, Training: &policy.Training{Steps: 1000, Rates: rates}}}
	return s
}

// TestBestOfAllChoices: of all ways to take the GPUs a job needs, what it gets is the fastest, or one type within
// the gain that a mix must bring.
func TestBestOfAllChoices(t *testing.T) {
	p := policytest.NewPolicy(t, System().New, nil)
	rapid.Check(t, func(t *rapid.T) {
		free, speeds := make([]int, 3), make([]float64, 3)
		for i := range free {
			free[i], speeds[i] = rapid.IntRange(1, 5).Draw(t, "free"), float64(rapid.IntRange(1, 9).Draw(t, "speed"))
		}
		s := crowd(free, speeds, rapid.IntRange(2, 6).Draw(t, "devices"))
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Fatal(err)
		}
		g, d, best := speedsOf(speeds...), plan.Decisions[0], 0.0
		for a := 0; a <= free[0]; a++ {
			for b := 0; b <= free[1]; b++ {
				if c := d.GPUs - a - b; c >= 0 && c <= free[2] {
					best = max(best, speedWithCost(g, onTypes(a, b, c)))
				}
			}
		}
		switch got := speedWithCost(g, d.On); {
		case best == 0 && d.Verb != policy.Wait, best > 0 && d.Verb != policy.Start:
			t.Fatalf("%s on %v of %v", d.Verb, d.On, free)
		case best > 0 && got < best/1.15-1e-9, d.On.HasSeveralTypes() && got < best-1e-9:
			t.Fatalf("%v of %v with speeds %v is %g fast, the best %g", d.On, free, speeds, got, best)
		}
	})
}

func speedWithCost(g *gangSpeeds, on policy.Alloc) float64 {
	if on.HasSeveralTypes() {
		return g.speed(on, mixProportional, .05)
	}
	if len(on) == 0 {
		return 0
	}
	return g.speedOn(on.FirstType())
}

// TestWhoIsMixed: who gets GPUs of two types, and who waits.
func TestWhoIsMixed(t *testing.T) {
	running := func(s *policy.Snapshot, left time.Duration) {
		s.Jobs = append(s.Jobs, policy.Job{ID: 2, User: "u", Partition: "p", State: policy.Running, Arrive: s.Now.Add(-time.Hour), Start: s.Now.Add(-time.Hour),
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "t0", Count: 2}}, On: policy.Alloc{{Node: "n0", Type: "t0", Count: 2}}, PredictedLeft: left})
	}
	for name, c := range map[string]struct {
		params paper.Params
		change func(*policy.Snapshot)
		want   string
	}{
		"it runs on both":                   {nil, func(*policy.Snapshot) {}, "start n0:4×t0,n1:2×t1 [{t0 0.2} {t1 0.1}]"},
		"with equal parts":                  {paper.Params{"mix": "even"}, func(*policy.Snapshot) {}, "start n0:4×t0,n1:2×t1 []"},
		"never":                             {paper.Params{"mix": "never"}, func(*policy.Snapshot) {}, "hold  []"},
		"its owner does not accept it":      {nil, func(s *policy.Snapshot) { s.Jobs[0].AcceptsMixedTypes = false }, "hold  []"},
		"speeds are not known":              {nil, func(s *policy.Snapshot) { s.Jobs[0].Training = nil }, "hold  []"},
		"one fast type has room":            {nil, func(s *policy.Snapshot) { s.Nodes[0].GPUs[0].Count = 6 }, "start n0:6×t0 []"},
		"the slow type alone":               {nil, func(s *policy.Snapshot) { s.Nodes[0].GPUs[0].Count, s.Nodes[1].GPUs[0].Count = 1, 6 }, "start n1:6×t1 []"},
		"so many on each node":              {nil, func(s *policy.Snapshot) { s.Jobs[0].Ask.PerNode = 3 }, "hold  []"},
		"the fast ones are free in time":    {nil, func(s *policy.Snapshot) { s.Nodes[0].GPUs[0].Count = 6; running(s, time.Minute) }, "hold  []"},
		"the fast ones are held too long":   {nil, func(s *policy.Snapshot) { s.Nodes[0].GPUs[0].Count = 6; running(s, time.Hour) }, "start n0:4×t0,n1:2×t1 [{t0 0.2} {t1 0.1}]"},
		"it asks for a type, and gets that": {nil, func(s *policy.Snapshot) { s.Jobs[0].Ask.GPUs.Type = "t0"; s.Jobs[0].Ask.GPUs.Count = 4 }, "start n0:4×t0 []"},
	} {
		s := crowd([]int{4, 4}, []float64{2, 1}, 6)
		c.change(s)
		plan, err := policytest.NewPolicy(t, System().New, c.params).Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Fatal(err)
		}
		d := plan.Decisions[0]
		if got := fmt.Sprintf("%s %v %v", d.Verb, d.On, d.BatchShares); got != c.want {
			t.Errorf("%s: %q (%s), want %q", name, got, d.Why, c.want)
		}
		if len(d.BatchShares) > 0 && !strings.Contains(d.Why, "0.2 of the batch on each t0") {
			t.Errorf("%s: %s", name, d.Why)
		}
	}
}
