package pipeswitch_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/pipeswitch"
)

var now = policytest.SnapshotTime

// service is a node of eight GPUs, all of one service that needs three now, and six in an hour.
func service(jobs ...policy.Job) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}},
		InferenceServices: []policy.InferenceService{{Name: "chat", Partition: "gpu", OwnGPUs: 8, Forecast: []policy.DemandForecast{{From: now.Add(-time.Hour), GPUs: 3}, {From: now.Add(time.Hour), GPUs: 6}}}}}
	for i, j := range jobs {
		j.ID, j.Partition = policy.JobID(i+1), "gpu"
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// job is one of a GPU that came so many minutes ago.
func job(minutes int) policy.Job {
	return policy.Job{User: "u", Account: "a", State: policy.Pending, Arrive: now.Add(-time.Duration(minutes) * time.Minute), Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}}
}

// replica is one of the service.
func replica(minutes int) policy.Job {
	j := job(minutes)
	j.ReplicaOf, j.UnstoppableReason = "chat", "it serves"
	return j
}

// on has a job run on a device since so many minutes.
func on(j policy.Job, device, minutes int) policy.Job {
	j.State, j.Start = policy.Running, now.Add(-time.Duration(minutes)*time.Minute)
	j.On = policy.Alloc{{Node: "n1", Type: "g", Count: 1, Devices: policy.NewDeviceSet(device)}}
	return j
}

func decide(t *testing.T, s *policy.Snapshot, params paper.Params) []policy.Decision {
	t.Helper()
	plan, err := policytest.NewPolicy(t, pipeswitch.System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan.Decisions
}

func count(all []policy.Decision, verb policy.Verb) (n int) {
	for _, d := range all {
		if d.Verb == verb {
			n++
		}
	}
	return n
}

// threeReplicas run on the first GPUs.
func threeReplicas() []policy.Job {
	return []policy.Job{on(replica(90), 0, 80), on(replica(90), 1, 80), on(replica(90), 2, 80)}
}

// TestLendsWhatStaysIdle: one GPU is kept in reserve. Four are lent to jobs that pay for ten times their restart within the hour,
// one to those that do not, none to jobs that may not be stopped.
func TestLendsWhatStaysIdle(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*policy.Job)
		params paper.Params
		starts int
	}{
		"a minute to restart":   {func(*policy.Job) {}, nil, 4},
		"ten minutes":           {func(j *policy.Job) { j.CheckpointCost = 10 * time.Minute }, nil, 1},
		"ten minutes, factor 2": {func(j *policy.Job) { j.CheckpointCost = 10 * time.Minute }, paper.Params{"factor": 2}, 4},
		"no reserve":            {func(*policy.Job) {}, paper.Params{"guard": 0}, 5},
		"half in reserve":       {func(*policy.Job) {}, paper.Params{"guard": 50}, 1},
		"may not be stopped":    {func(j *policy.Job) { j.UnstoppableReason = "its owner did not say so" }, nil, 0},
		"of another type":       {func(j *policy.Job) { j.Ask.GPUs.Type = "h" }, nil, 0},
		"of any type":           {func(j *policy.Job) { j.Ask.GPUs.Type = "" }, nil, 4},

		"two GPUs each":           {func(j *policy.Job) { j.Ask.GPUs.Count = 2 }, nil, 2},
		"too large for what idle": {func(j *policy.Job) { j.Ask.GPUs.Count = 5 }, nil, 0},
	} {
		jobs := threeReplicas()
		for i := range 6 {
			j := job(30 - i)
			c.change(&j)
			jobs = append(jobs, j)
		}
		s := service(jobs...)
		d := decide(t, s, c.params)
		if n := count(d, policy.Start); n != c.starts {
			t.Errorf("%s: %d start, want %d: %s", name, n, c.starts, d[len(d)-1].Why)
		}
		if name == "may not be stopped" && !strings.Contains(d[5].Why, "service chat keeps 8 (needed now: 3; its own: 8), as the job may not be stopped") {
			t.Errorf("%s", d[5].Why)
		}
	}
}

// TestCallsBackWhoLosesLeast: three replicas come, and the three jobs leave that have run for the shortest time.
func TestCallsBackWhoLosesLeast(t *testing.T) {
	jobs := threeReplicas()
	for i, minutes := range []int{50, 4, 30, 9, 2} {
		jobs = append(jobs, on(job(60), 3+i, minutes))
	}
	s := service(append(jobs, replica(0), replica(0), replica(0))...)
	d := decide(t, s, nil)
	if count(d, policy.Stop) != 3 || count(d, policy.Start) != 3 || d[4].Verb != policy.Stop || d[6].Verb != policy.Stop || d[7].Verb != policy.Stop {
		t.Errorf("%+v", d)
	}
}

// TestWithoutServices: it is first come, first served, and stops no job.
func TestWithoutServices(t *testing.T) {
	s := service(on(job(90), 0, 80), job(30), job(20))
	s.InferenceServices = nil
	s.Jobs[1].Ask.GPUs.Count = 8
	if d := decide(t, s, nil); d[0].Verb != policy.Keep || d[1].Verb == policy.Start {
		t.Errorf("%+v", d)
	}
}
