package sim_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"fairbridge/replica/sim"
	"fairbridge/replica/sim/arrivals"
	"fairbridge/replica/sim/backfill/backfilltest"
)

// mixed is a world of several kinds of node, with jobs of every kind.
func mixed(t *testing.T, seed int64, slow bool, log *bytes.Buffer) *sim.World {
	t.Helper()
	c := sim.Config{Seed: seed, Nodes: sim.UniformNodes(12, "a100", 8), Log: log, Accounts: []sim.Account{{Name: "a", Shares: 2}, {Name: "b", Shares: 1}}}
	for i := range c.Nodes {
		switch {
		case seed%3 == 0 && i%3 == 1:
			c.Nodes[i].GPUs = []sim.GPUs{{Type: "h100", Count: 8}}
		case seed%3 == 0 && i%5 == 2:
			c.Nodes[i].GPUs = []sim.GPUs{{Type: "h100", Count: 4}, {Type: "a100", Count: 4}}
		}
	}
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if slow {
		w.PlanBy(&backfilltest.ReferencePlan{})
	}
	l := arrivals.WorkloadConfig{Seed: seed, JobCount: 250, ArrivalSpan: 6 * time.Hour, MaxNodes: 5, Users: []sim.User{{Name: "x", DefaultAccount: "a"}, {Name: "y", DefaultAccount: "b"}}}
	for i, a := range l.DrawArrivals() {
		vary(&a.Spec, seed, i)
		if err := w.SubmitAt(w.Now().Add(a.SinceStart), a.Spec); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// vary makes some of the jobs unusual.
func vary(s *sim.JobSpec, seed int64, i int) {
	if seed%2 == 0 && i%5 == 0 {
		s.GPUs, s.GPUsPerNode, s.MinNodes = s.GPUsPerNode*s.MinNodes+i%3, 0, i%2*2
	}
	if seed%3 == 0 && i%4 == 0 {
		s.GPUType = "h100"
	}
	switch {
	case i%17 == 0:
		s.ArraySize, s.ArrayMaxRunning = 3, i%2
	case i%29 == 0:
		s.ExcludedNodes = []string{"n3"}
	case i%31 == 0 && s.MinNodes < 2:
		s.RequiredNodes = []string{"n4"}
	case i%37 == 0:
		s.RequiredNodes, s.MinNodes = []string{"n2", "n5"}, 3
	case i%11 == 0:
		s.MinNodes = min(s.MinNodes*3, 10)
	case i%13 == 0:
		s.Exclusive = true
	}
}

func TestBackfillPlansLikeItsReference(t *testing.T) {
	for seed := range int64(4) {
		var a, b bytes.Buffer
		fast, slow := mixed(t, seed, false, &a), mixed(t, seed, true, &b)
		for range 60 { // a look now and then: what is shown includes estimates
			fast.Advance(fast.Now().Add(20 * time.Minute))
			slow.Advance(slow.Now().Add(20 * time.Minute))
			fmt.Fprintf(&a, "%+v\n", fast.Jobs())
			fmt.Fprintf(&b, "%+v\n", slow.Jobs())
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Fatalf("seed %d: differs after %v:\n%s", seed, fast.Now().Sub(fast.StartTime()), difference(a.String(), b.String()))
			}
			a.Reset()
			b.Reset()
		}
		if _, started, _ := fast.JobTotals(); started < 200 {
			t.Errorf("seed %d: only %d starts", seed, started)
		}
	}
}

// difference returns the first lines that differ.
func difference(a, b string) string {
	x, y := bytes.Split([]byte(a), []byte("\n")), bytes.Split([]byte(b), []byte("\n"))
	for i := range x {
		if i >= len(y) || !bytes.Equal(x[i], y[i]) {
			return fmt.Sprintf("%.300s\n%.300s", x[i], y[min(i, len(y)-1)])
		}
	}
	return "the first is shorter"
}
