package engine

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

type tierByQOS struct{}

func (tierByQOS) Tier(_ *Round, e *Entry) int {
	if e.QOS == "urgent" {
		return 0
	}
	return 1
}

type passAll struct{ asked *int }

func (passAll) NewPassCheck(*Round, *Entry) func(*Entry, policy.Alloc) error {
	return func(*Entry, policy.Alloc) error { return nil }
}

func (p passAll) Place(r *Round, e *Entry) (policy.Alloc, error) {
	*p.asked++
	return pool.Fit(r.FreePool, e.Partition, e.GangAsk())
}

// TestHopelessSearchesAreNotRepeated walks many jobs of two shapes that no
// stopping can help, and wants one search for each shape.
func TestHopelessSearchesAreNotRepeated(t *testing.T) {
	now, asked := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 0
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}}}
	ask := func(n int) policy.Ask { return policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: n}} }
	for i := range 1000 {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), State: policy.Pending, Partition: "p", QOS: "urgent", Arrive: now.Add(-time.Hour), Ask: ask(7 + i%2)})
	}
	for i, fixed := range []string{"owner", ""} {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(1001 + i), State: policy.Running, Partition: "p", Arrive: now, Start: now.Add(-time.Hour),
			UnstoppableReason: fixed, Ask: ask(3), On: policy.Alloc{{Node: "n1", Type: "a100", Count: 3}}})
	}
	p := &Pipeline{Preempt: tierByQOS{}, Backfill: passAll{&asked}, Place: passAll{&asked}, Rules: Rules{}.withDefaults()}
	r := newRound(s, nil)
	line, err := p.askStages(r)
	if err != nil {
		t.Fatal(err)
	}
	w := newWalk(p, r, line)
	free := w.FreePool.TotalFree("a100")
	w.run()
	if tries := p.Rules.MaxFruitlessSearches - w.victims.searchesLeft; tries != 2 {
		t.Errorf("%d searches for victims, want 2", tries)
	}
	if asked != 0 {
		t.Errorf("the Placer was asked %d times where there is no room", asked)
	}
	if got := w.FreePool.TotalFree("a100"); got != free {
		t.Errorf("%d GPUs free after fruitless searches, want %d", got, free)
	}
}

// TestTriesAreBounded wants a round of many different hopeless jobs to give
// up searching, and to plan lawfully all the same.
func TestTriesAreBounded(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", CPUs: 1 << 20, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}}}
	for i := range 50 {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), State: policy.Pending, Partition: "p", QOS: "urgent", Arrive: now.Add(-time.Hour),
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 8}, CPUs: i + 1}})
	}
	for i, fixed := range []string{"owner", ""} {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(51 + i), State: policy.Running, Partition: "p", Arrive: now, Start: now.Add(-time.Hour),
			UnstoppableReason: fixed, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 4}}, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}})
	}
	asked := 0
	p := &Pipeline{Preempt: tierByQOS{}, Backfill: passAll{&asked}, Rules: Rules{MaxFruitlessSearches: 5}.withDefaults()}
	r := newRound(s, nil)
	line, err := p.askStages(r)
	if err != nil {
		t.Fatal(err)
	}
	w := newWalk(p, r, line)
	w.run()
	if tries := p.Rules.MaxFruitlessSearches - w.victims.searchesLeft; tries != 5 {
		t.Errorf("%d searches for victims, want 5", tries)
	}
	if err := r.newPlan(p.Name).Check(s); err != nil {
		t.Error(err)
	}
}
