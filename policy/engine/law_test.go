package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/place"
	"fairbridge/policy/preempt"
)

func pipelines() []engine.Pipeline {
	tiers := preempt.ByQOS("urgent", "normal")
	return []engine.Pipeline{
		{Name: "zero"},
		{Name: "easy", Backfill: backfill.EASY{}, Place: place.Consolidated{}},
		{Name: "estimates", Backfill: backfill.EASY{RunLength: engine.RunLengthByEstimate}, Place: place.Consolidated{}},
		{Name: "greedy", Backfill: backfill.Greedy{}, Place: place.GangSizeAffinity{}},
		{Name: "tiers", Backfill: backfill.EASY{}, Preempt: tiers},
		{Name: "tiers, strict", Preempt: tiers},
		{Name: "quota", Backfill: backfill.Greedy{}, Preempt: tiers, Admit: quota{caps: map[string]float64{"a": 5}, fallback: 9}},
		{Name: "elastic", Backfill: backfill.Greedy{}, Size: elastic{}},
	}
}

// drawSnapshot draws a small cluster whose running jobs were placed by the
// plan for an earlier snapshot, so that they are where they can be.
func drawSnapshot(t *rapid.T) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Seq: 3}
	for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		n := policy.Node{Name: fmt.Sprintf("n%d", i), Partitions: []string{"p"}, LeafSwitch: fmt.Sprintf("leaf%d", i/2), CPUs: 32, MemMB: 1 << 20}
		n.GPUs = []policy.NodeDevices{{Type: "a100", Count: rapid.IntRange(0, 8).Draw(t, "a100")}, {Type: "t4", Count: 2, SickCount: rapid.IntRange(0, 1).Draw(t, "sick")}}
		s.Nodes = append(s.Nodes, n)
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "jobs") {
		s.Jobs = append(s.Jobs, drawJob(t, policy.JobID(i+1)))
	}
	plan, err := engine.Pipeline{Backfill: backfill.Greedy{}}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	s = carryOut(s, plan, 30*time.Minute)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.HoldsGPUs() && rapid.IntRange(0, 3).Draw(t, "stop it") == 0 {
			j.State, j.On, j.Start = policy.Pending, nil, time.Time{}
		}
	}
	return s
}

func drawJob(t *rapid.T, id policy.JobID) policy.Job {
	j := policy.Job{ID: id, Partition: "p", State: policy.Pending, UnplaceableReason: rapid.SampledFrom([]string{"", "", "", "constraint"}).Draw(t, "unplaced")}
	j.Account = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "account")
	j.QOS = rapid.SampledFrom([]string{"urgent", "normal", "low"}).Draw(t, "qos")
	j.Arrive = now.Add(-time.Duration(rapid.IntRange(0, 40).Draw(t, "hours")) * time.Hour)
	j.Limit = time.Duration(rapid.IntRange(0, 3).Draw(t, "limit")) * time.Hour
	j.UnstoppableReason = rapid.SampledFrom([]string{"", "", "owner"}).Draw(t, "fixed")
	j.HeldReason = rapid.SampledFrom([]string{"", "", "", "dependency"}).Draw(t, "held")
	j.Ask = policy.Ask{GPUs: policy.GPUs{Type: rapid.SampledFrom([]string{"a100", "a100", "t4", ""}).Draw(t, "type"), Count: rapid.IntRange(1, 9).Draw(t, "count")}}
	if j.Ask.CPUs = j.Ask.GPUs.Count * rapid.IntRange(0, 6).Draw(t, "cpus"); rapid.Bool().Draw(t, "one node") {
		j.Ask.MaxNodes = 1
	}
	if rapid.IntRange(0, 3).Draw(t, "elastic") == 0 {
		j.MinGPUs, j.MaxGPUs = 1, j.Ask.GPUs.Count+2
	}
	return j
}

// carryOut returns the snapshot after the plan was carried out, later by d.
// Unplaced jobs stay pending: who knows where Slurm put them.
func carryOut(s *policy.Snapshot, plan *policy.Plan, d time.Duration) *policy.Snapshot {
	next := clone(s)
	for i, dec := range plan.Decisions {
		j := &next.Jobs[i]
		switch dec.Verb {
		case policy.Start, policy.Resize:
			if len(dec.On) > 0 {
				j.State, j.On, j.Start = policy.Running, dec.On, s.Now
			}
		case policy.Stop:
			j.State, j.On, j.Start, j.LastStop, j.StopCount = policy.Pending, nil, time.Time{}, s.Now, j.StopCount+1
		}
	}
	next.Now = next.Now.Add(d)
	return next
}

func clone(s *policy.Snapshot) *policy.Snapshot {
	c := *s
	c.Jobs = append([]policy.Job(nil), s.Jobs...)
	return &c
}

// TestEveryPlanIsLawful checks what no combination of stages may break.
func TestEveryPlanIsLawful(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t)
		p := rapid.SampledFrom(pipelines()).Draw(t, "pipeline")
		before := clone(s)
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Fatalf("%s: %v\n%+v", p.Name, err, plan.Decisions)
		}
		if diff := cmp.Diff(before, s); diff != "" {
			t.Fatalf("%s changed its snapshot: %s", p.Name, diff)
		}
		again, err := p.Decide(s)
		if diff := cmp.Diff(plan, again); err != nil || diff != "" {
			t.Fatalf("%s decides otherwise the second time: %v %s", p.Name, err, diff)
		}
	})
}

// TestNothingMovesTwice carries plans out at once and for hours, and wants no
// job stopped sooner than the rules allow, nor more often.
func TestNothingMovesTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t)
		p := rapid.SampledFrom(pipelines()).Draw(t, "pipeline")
		for range 6 {
			plan, err := p.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Check(s); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			stopping := false
			for i, d := range plan.Decisions {
				stopping = stopping || d.Verb == policy.Stop
				if j := s.Jobs[i]; d.Verb == policy.Stop && (j.Ran(s.Now) < 10*time.Minute || j.StopCount >= 3) {
					t.Fatalf("%s stops job %d after %v and %d stops", p.Name, j.ID, j.Ran(s.Now), j.StopCount)
				}
			}
			settled(t, p, carryOut(s, plan, 0), stopping)
			s = carryOut(s, plan, 17*time.Minute)
		}
	})
}

// settled carries plans out until nothing is stopped any more. A plan that
// stops no job is followed by none that does. One that does may be: what it
// leaves free moves a reservation, and with three tiers a job that gave way may
// take the place of one of a lower tier. But no job is stopped twice at one
// time, so that it ends.
func settled(t *rapid.T, p engine.Pipeline, s *policy.Snapshot, stopping bool) {
	stopped := map[policy.JobID]bool{}
	for range len(s.Jobs) + 1 {
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		again := false
		for _, d := range plan.Decisions {
			if d.Verb != policy.Stop {
				continue
			}
			if !stopping {
				t.Fatalf("%s stops job %d after a plan that stopped none: %s", p.Name, d.Job, d.Why)
			}
			if stopped[d.Job] {
				t.Fatalf("%s stops job %d twice at one time: %s", p.Name, d.Job, d.Why)
			}
			stopped[d.Job], again = true, true
		}
		if !again {
			return
		}
		s = carryOut(s, plan, 0)
	}
	t.Fatalf("%s does not come to rest", p.Name)
}
