package optimus_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/optimus"
)

// jobOf is a job with so many steps left that does w/(1+serial*w) of them a second on w GPUs.
func jobOf(id policy.JobID, steps, serial float64) policy.Job {
	j := policy.Job{ID: id, User: "u", Account: "a", Partition: "gpu", State: policy.Pending, Arrive: policytest.SnapshotTime.Add(time.Duration(id-100) * time.Minute),
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}, MinGPUs: 1, MaxGPUs: 6,
		Training: &policy.Training{Steps: steps, Rates: []policy.Rate{{Type: "g", StepsPerSecond: 1 / (1 + serial)}}},
		Scaling:  &policy.Scaling{Source: policy.ScalingFromTable}}
	for w := 1; w <= 6; w++ {
		j.Scaling.Points = append(j.Scaling.Points, policy.SpeedPoint{Devices: w, StepsPerSecond: float64(w) / (1 + serial*float64(w))})
	}
	return j
}

func node(gpus int, jobs ...policy.Job) *policy.Snapshot {
	return &policy.Snapshot{Now: policytest.SnapshotTime, Jobs: jobs,
		Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
}

// decide returns what becomes of every job: "start 3 keep 2".
func decide(t *testing.T, s *policy.Snapshot, params paper.Params) string {
	t.Helper()
	plan, err := policytest.NewPolicy(t, optimus.System().New, params).Decide(s)
	if err == nil {
		err = plan.Check(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, d := range plan.Decisions {
		all = append(all, fmt.Sprint(d.Verb, " ", d.On.Count()))
	}
	return strings.Join(all, " ")
}

// TestOptimusOfTheBrief: six GPUs for two jobs whose overheads differ and cancel out: what is
// left to do decides.
func TestOptimusOfTheBrief(t *testing.T) {
	for _, c := range []struct {
		stepsA float64
		want   string
	}{{100, "start 3 start 3"}, {40, "start 2 start 4"}} {
		for _, growth := range []string{"hull", "single"} {
			if got := decide(t, node(6, jobOf(1, c.stepsA, .1), jobOf(2, 100, .5)), paper.Params{"growth": growth}); got != c.want {
				t.Errorf("%g steps, %s: %s, want %s", c.stepsA, growth, got, c.want)
			}
		}
	}
}

// running lets a job run since an hour.
func running(j policy.Job, gpus int) policy.Job {
	j.State, j.Start, j.On = policy.Running, policytest.SnapshotTime.Add(-time.Hour), policy.Alloc{{Node: "n1", Type: "g", Count: gpus}}
	j.FirstStart = j.Start
	return j
}

// TestResizing: a running job is resized where that saves twice what restarts cost, shrinks for
// one that could not run otherwise, and is left alone where it must be.
func TestResizing(t *testing.T) {
	costly := func(j policy.Job, cost time.Duration) policy.Job { j.CheckpointCost = cost; return j }
	fixed := func(j policy.Job) policy.Job { j.UnstoppableReason = "no"; return j }
	rigid := func(j policy.Job, gpus int) policy.Job {
		j.MinGPUs, j.MaxGPUs, j.Ask.GPUs.Count = 0, 0, gpus
		return j
	}
	unknown := func(j policy.Job) policy.Job { j.Training, j.Scaling = nil, nil; return j }
	free := paper.Params{"min_gain": 0, "min_run": "1s"}
	for name, c := range map[string]struct {
		s      *policy.Snapshot
		params paper.Params
		want   string
	}{
		"600 s of 600 + 60: from 2 to 6 saves 200 s": {node(6, running(costly(jobOf(1, 600, .1), 90*time.Second), 2)), nil, "resize 6"},
		"which is not twice 110 s":                   {node(6, running(costly(jobOf(1, 600, .1), 110*time.Second), 2)), nil, "keep 2"},
		"but more than nothing":                      {node(6, running(costly(jobOf(1, 600, .1), 110*time.Second), 2)), free, "resize 6"},
		"shrinks for one that could not run":         {node(6, running(jobOf(1, 100, .1), 6), jobOf(2, 100, .1)), nil, "resize 3 start 3"},
		"not only to be fair":                        {node(7, running(jobOf(1, 100, .1), 6), jobOf(2, 100, .1)), nil, "keep 6 start 1"},
		"but where restarts are free":                {node(7, running(jobOf(1, 100, .1), 6), jobOf(2, 100, .1)), free, "resize 4 start 3"},
		"not if it must not":                         {node(6, fixed(running(jobOf(1, 100, .1), 6)), jobOf(2, 100, .1)), nil, "keep 6 wait 0"},
		"not if it is rigid":                         {node(6, rigid(running(jobOf(1, 100, .1), 6), 6), jobOf(2, 100, .1)), nil, "keep 6 wait 0"},
		"a rigid one that came first":                {node(6, rigid(jobOf(1, 100, .1), 4), jobOf(2, 100, .1)), nil, "start 4 start 2"},
		"a rigid one that does not fit":              {node(6, jobOf(1, 100, .1), rigid(jobOf(2, 100, .1), 6)), nil, "start 6 wait 0"},
		"nothing is known: an hour is assumed":       {node(6, unknown(jobOf(1, 100, .1)), jobOf(2, 100, .1)), nil, "start 5 start 1"},
	} {
		if got := decide(t, c.s, c.params); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestLossesSayWhatIsLeft: of two jobs that do not say how many steps they have, the one whose
// loss still falls gets more GPUs than the one whose loss hardly does.
func TestLossesSayWhatIsLeft(t *testing.T) {
	falling, flat := jobOf(1, 0, .1), jobOf(2, 0, .1)
	for k := range 30 {
		falling.Training.Losses = append(falling.Training.Losses, policy.LossPoint{Step: float64(k), Loss: 1 / (.05*float64(k) + 1)})
		flat.Training.Losses = append(flat.Training.Losses, policy.LossPoint{Step: float64(k), Loss: .9 + .1/(float64(k)+1)})
	}
	if got := decide(t, node(6, falling, flat), nil); got != "start 5 start 1" {
		t.Errorf("%s, want start 5 start 1", got)
	}
	if got := decide(t, node(6, falling, flat), paper.Params{"losses": "never"}); got != "start 3 start 3" {
		t.Errorf("when losses do not count: %s, want start 3 start 3", got)
	}
}
