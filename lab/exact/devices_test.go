package exact_test

import (
	"strings"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// packed runs every job on the devices named for it, of one node.
type packed []policy.DeviceSet

func (p packed) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan := &policy.Plan{SnapshotSeq: s.Seq, Policy: "packed"}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		d := policy.Decision{Job: j.ID, Rank: i + 1, GPUs: j.Ask.GPUs.Count, Why: "the test says so", Verb: policy.Keep, On: j.On}
		if !j.HoldsGPUs() {
			d.Verb = policy.Start
			d.On = policy.Alloc{{Node: s.Nodes[0].Name, Type: "v100", Count: j.Ask.GPUs.Count, Devices: p[j.ID-1]}}
		}
		plan.Decisions = append(plan.Decisions, d)
	}
	return plan, nil
}

// byNumber is an interference by which each job is slower by the number of its neighbours.
type byNumber struct{}

func (byNumber) RelativeSpeeds(jobs []*workload.Job, _ string) []float64 {
	out := make([]float64, len(jobs))
	for i := range out {
		out[i] = 1 / float64(len(jobs))
	}
	return out
}

func sharer(id int64, duration float64) workload.Job {
	j := job(id, 0, duration)
	j.IsShareable, j.Sharing = true, &policy.Sharing{JobsPerGPU: 3, MemMB: 10_000}
	return j
}

// TestGroupsShareDevices: three jobs on device 0 and one on device 1, which alone is as
// fast as ever.
func TestGroupsShareDevices(t *testing.T) {
	run := play(t, exact.Config{Policy: packed{1, 1, 1, 2}, Nodes: nodes(1, 2, "v100"), Interference: byNumber{},
		Clock: exact.NewEventClock(0, 0, 0), Jobs: []workload.Job{sharer(1, 10), sharer(2, 20), sharer(3, 40), sharer(4, 50)}})
	// A third each until 30 s, then a half: job 2 has 10 left, until 50; job 3 20, then alone.
	for i, want := range []float64{30, 50, 70, 50} {
		same(t, "finish of job "+string(rune('1'+i)), run.JobOutcomes[i].Finish, want)
	}
}

func TestJobsThatMayNotShareADevice(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*exact.Config)
	}{
		{"too many", "are more than it or job", func(c *exact.Config) { c.Jobs[0].Sharing = nil }},
		{"memory", "its jobs would use 60000 MB of 40000", func(c *exact.Config) { c.Jobs[0].Sharing.MemMB = 50_000 }},
		{"another user", "do not accept each other", func(c *exact.Config) { c.Jobs[0].User = "eve" }},
		{"no such device", "no device 5", func(c *exact.Config) { c.Policy = packed{32, 32, 32} }},
	} {
		cfg := exact.Config{Policy: packed{1, 1, 1}, Nodes: nodes(1, 2, "v100"), Clock: exact.NewEventClock(0, 0, 0),
			Jobs: []workload.Job{sharer(1, 10), sharer(2, 20), sharer(3, 20)}}
		cfg.Nodes[0].GPUs[0].MemMB = 40_000
		c.change(&cfg)
		if _, err := exact.Run(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
