package arrivals_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/replica/sim"
	"fairbridge/replica/sim/arrivals"
)

func TestWorkloadIsReproducibleAndRuns(t *testing.T) {
	l := arrivals.WorkloadConfig{Seed: 5, JobCount: 200, ArrivalSpan: 12 * time.Hour, PreemptibleShare: 0.5, Users: []sim.User{{Name: "a"}, {Name: "b"}}}
	jobs := l.DrawArrivals()
	if diff := cmp.Diff(jobs, l.DrawArrivals()); diff != "" {
		t.Fatal("two draws differ", diff)
	}
	w, err := sim.New(sim.Config{Seed: 1, Nodes: sim.UniformNodes(8, "a100", 8)})
	if err != nil {
		t.Fatal(err)
	}
	if err := arrivals.ScheduleArrivals(w, jobs); err != nil {
		t.Fatal(err)
	}
	if !w.RunUntilIdle(w.Now().Add(30 * 24 * time.Hour)) {
		t.Fatal("the workload never ends")
	}
	if n := len(w.EndedRuns()); n != 200 {
		t.Errorf("%d runs of 200 jobs", n)
	}
	for _, s := range w.EndedRuns() {
		if s.EndState != "COMPLETED" {
			t.Errorf("%s: %s; limits should be above run times", s.Name, s.EndState)
		}
	}
}

func BenchmarkDay(b *testing.B) {
	for b.Loop() {
		w, err := sim.New(sim.Config{Nodes: sim.UniformNodes(128, "a100", 8)})
		if err != nil {
			b.Fatal(err)
		}
		if err := arrivals.ScheduleArrivals(w, arrivals.WorkloadConfig{Seed: 1, JobCount: 2_000, ArrivalSpan: 6 * time.Hour, MaxNodes: 4}.DrawArrivals()); err != nil {
			b.Fatal(err)
		}
		if !w.RunUntilIdle(w.Now().Add(60 * 24 * time.Hour)) {
			b.Fatal("never ends")
		}
	}
}
