package elan_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/elan"
)

// snapshot is a node of so many GPUs with jobs on it.
func snapshot(gpus int, jobs ...policy.Job) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
	for i, j := range jobs {
		j.ID, j.Partition, j.Arrive = policy.JobID(i+1), "gpu", policytest.SnapshotTime.Add(time.Duration(i-100)*time.Second)
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// job asks for GPUs within a range and holds some since an hour.
func job(ask, low, high, holds int) policy.Job {
	j := policy.Job{User: "u", Account: "a", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: ask}}, MinGPUs: low, MaxGPUs: high}
	if holds > 0 {
		j.State, j.Start, j.On = policy.Running, policytest.SnapshotTime.Add(-time.Hour), policy.Alloc{{Node: "n1", Type: "g", Count: holds}}
	}
	return j
}

func decide(t *testing.T, s *policy.Snapshot, params paper.Params) *policy.Plan {
	t.Helper()
	plan, err := policytest.NewPolicy(t, elan.System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestGrowsWhereSpeedGrows: of X, which gets faster in proportion, and Y, which does not get
// faster at all, X has the four that are free, and with them a larger batch.
func TestGrowsWhereSpeedGrows(t *testing.T) {
	x, y := job(2, 2, 8, 2), job(2, 2, 4, 2)
	x.Scaling = &policy.Scaling{SerialPart: 0, Batch: &policy.BatchRange{Initial: 64, Max: 1024, LeastPerDevice: 32}}
	y.Scaling = &policy.Scaling{Points: []policy.SpeedPoint{{Devices: 2, StepsPerSecond: 1}, {Devices: 4, StepsPerSecond: 1}}}
	plan := decide(t, snapshot(8, x, y), nil)
	if d := plan.Decisions; d[0].GPUs != 6 || d[1].GPUs != 2 {
		t.Errorf("%+v, want 6 and 2", d)
	}
	if why := plan.Decisions[0].Why; !strings.Contains(why, "at 3.00 times the speed it would have on the 2 it asks for, best with a batch of 256 and 4 times the learning rate") {
		t.Error(why)
	}
}

// TestGrowsOnlyWhereItPays: growing costs a restart, and another if the job has to shrink again.
func TestGrowsOnlyWhereItPays(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*policy.Job)
		params paper.Params
		want   int
	}{
		"enough left":                 {func(j *policy.Job) { j.CheckpointCost = time.Minute }, nil, 8},
		"too little left":             {func(j *policy.Job) { j.CheckpointCost, j.PredictedLeft = 2*time.Minute, 5*time.Minute }, nil, 4},
		"asked to be worth nothing":   {func(j *policy.Job) { j.CheckpointCost, j.PredictedLeft = 2*time.Minute, 5*time.Minute }, paper.Params{"pay_back": 0}, 8},
		"not by so much as the step":  {func(j *policy.Job) { j.MaxGPUs = 5 }, nil, 4},
		"any step":                    {func(j *policy.Job) { j.MaxGPUs = 5 }, paper.Params{"step": 1}, 5},
		"it could never shrink again": {func(j *policy.Job) { j.StopCount = 11 }, nil, 4},
		"it ran for too short a time": {func(j *policy.Job) { j.Start = policytest.SnapshotTime.Add(-time.Minute) }, nil, 4},
	} {
		j := job(4, 2, 8, 4)
		j.Scaling = &policy.Scaling{SerialPart: .01}
		j.PredictedLeft = 10 * time.Hour
		c.change(&j)
		if d := decide(t, snapshot(8, j), c.params).Decisions[0]; d.GPUs != c.want {
			t.Errorf("%s: %+v, want %d GPUs", name, d, c.want)
		}
	}
}

// TestShrinksForSomebodyOnly draws clusters of several nodes: a job that shrinks makes room for
// one that starts, no job runs on less than its least size, and in E-FIFO no job starts that
// came after one that waits for the same GPUs.
func TestShrinksForSomebodyOnly(t *testing.T) {
	shrinks := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := snapshot(0)
		s.Nodes = nil
		var jobs []policy.Job
		for i := range rapid.IntRange(1, 4).Draw(rt, "nodes") {
			name := string(rune('a' + i))
			s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
			for left := 8; left > 0; {
				has := rapid.IntRange(1, left).Draw(rt, "has")
				j := job(has, rapid.IntRange(0, has).Draw(rt, "min"), has+rapid.IntRange(0, 8).Draw(rt, "more"), has)
				j.On[0].Node = name
				jobs, left = append(jobs, j), left-has
			}
		}
		for range rapid.IntRange(1, 5).Draw(rt, "waiting") {
			ask := rapid.IntRange(1, 16).Draw(rt, "ask")
			j := job(ask, rapid.IntRange(0, ask).Draw(rt, "min"), 2*ask, 0)
			j.Ask.MaxNodes = rapid.IntRange(0, 1).Draw(rt, "on one node")
			jobs = append(jobs, j)
		}
		s.Jobs = snapshot(0, jobs...).Jobs
		plan := decide(t, s, nil)
		shrunk, started := false, false
		waits := ""
		for i, d := range plan.Decisions {
			j := &s.Jobs[i]
			shrunk = shrunk || d.Verb == policy.Resize && d.GPUs < j.On.Count()
			started = started || d.Verb == policy.Start
			switch {
			case d.Verb == policy.Start && waits != "":
				rt.Fatalf("job %d starts, though %s waits: %+v", d.Job, waits, plan.Decisions)
			case (d.Verb == policy.Wait || d.Verb == policy.Hold) && !strings.Contains(d.Why, "can never start"):
				waits = j.Label()
			case d.Verb == policy.Stop || j.MinGPUs > 0 && d.On.Count() > 0 && d.On.Count() < j.MinGPUs:
				rt.Fatalf("%+v with at least %d", d, j.MinGPUs)
			}
		}
		if shrunk && !started {
			rt.Fatalf("shrinks for no job: %+v", plan.Decisions)
		}
		if shrunk {
			shrinks++
		}
	})
	if shrinks == 0 {
		t.Error("no case had a job shrink: the test shows nothing")
	}
}
