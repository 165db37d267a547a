package grant_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestSlices: who takes any GPU does not get parts of one, however many are free.
func TestSlices(t *testing.T) {
	c := grant.FreeByType{{Type: "1g.5gb", Count: 7, IsSlice: true}, {Type: "a100", Count: 1}}
	if c.TakeDevices("", 2) || !c.TakeDevices("", 1) || c[0].Count != 7 || !c.TakeDevices("1g.5gb", 7) {
		t.Errorf("left %+v", c)
	}
}

func job(id, gpus int, typ string) policy.Job {
	return policy.Job{ID: policy.JobID(id), User: "u", Account: "a", Partition: "p", State: policy.Pending,
		Arrive: now.Add(time.Duration(id-100) * time.Second), Ask: policy.Ask{GPUs: policy.GPUs{Type: typ, Count: gpus}}}
}

func runs(j policy.Job, node string, ran time.Duration) policy.Job {
	j.State, j.Start = policy.Running, now.Add(-ran)
	j.On = policy.Alloc{{Node: node, Type: j.Ask.GPUs.Type, Count: j.Ask.GPUs.Count}}
	return j
}

func TestFastest(t *testing.T) {
	node := func(name, typ string) policy.Node {
		return policy.Node{Name: name, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: typ, Count: 8}}}
	}
	held := job(2, 1, "a100")
	held.HeldReason = "a dependency"
	for name, c := range map[string]struct {
		jobs []policy.Job
		want []policy.Verb
	}{
		"the first of the line take the place of the last": {
			[]policy.Job{job(1, 6, "a100"), job(2, 4, "a100"), runs(job(3, 8, "a100"), "n1", time.Hour)},
			[]policy.Verb{policy.Start, policy.Wait, policy.Stop}},
		"a gang too wide is passed over": {
			[]policy.Job{runs(job(1, 6, "a100"), "n1", time.Hour), job(2, 4, "a100"), job(3, 2, "a100")},
			[]policy.Verb{policy.Keep, policy.Wait, policy.Start}},
		"who stays is not counted": {
			[]policy.Job{job(1, 6, "a100"), runs(job(3, 8, "a100"), "n1", time.Minute)},
			[]policy.Verb{policy.Wait, policy.Keep}},
		"types are counted apart": {
			[]policy.Job{job(1, 8, "h100"), job(2, 8, "a100"), job(3, 1, "h100")},
			[]policy.Verb{policy.Start, policy.Start, policy.Wait}},
		"any type": {
			[]policy.Job{job(1, 8, "h100"), job(2, 8, ""), job(3, 1, "")},
			[]policy.Verb{policy.Start, policy.Start, policy.Wait}},
		"a job that cannot start takes nothing": {
			[]policy.Job{job(1, 7, "a100"), held, job(3, 1, "a100")},
			[]policy.Verb{policy.Start, policy.Wait, policy.Start}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &policy.Snapshot{Now: now, Nodes: []policy.Node{node("n1", "a100"), node("n2", "h100")}, Jobs: c.jobs}
			plan, err := engine.Pipeline{Lease: grant.Fastest{}, Backfill: backfill.Greedy{}}.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Check(s); err != nil {
				t.Error(err)
			}
			var got []policy.Verb
			for _, d := range plan.Decisions {
				got = append(got, d.Verb)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v: %+v", got, c.want, plan.Decisions)
			}
		})
	}
}
