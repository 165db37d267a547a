package slurmrun

import (
	"math"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// crowd is two jobs that ask for a node of 8 each and can do with 4, then one that asks for all of it
// and has no range.
func crowd() []workload.Job {
	half := &policy.Scaling{SerialPart: .1}
	jobs := []workload.Job{
		{ID: 1, User: "u", Account: "a", GPUs: 8, MinGPUs: 4, MaxGPUs: 8, Scaling: half, Arrive: 0, Duration: 36_000, TimeLimit: 48 * time.Hour, RestartCostSeconds: 60},
		{ID: 2, User: "u", Account: "a", GPUs: 8, MinGPUs: 4, MaxGPUs: 8, Scaling: half, Arrive: 3_600, Duration: 36_000, TimeLimit: 48 * time.Hour, RestartCostSeconds: 60},
		{ID: 3, User: "u", Account: "a", GPUs: 8, Arrive: 7_200, Duration: 600, TimeLimit: time.Hour, IsUnstoppable: true, IsSilent: true},
	}
	return jobs
}

// TestElasticSizesAct: in mode elastic a job runs on fewer GPUs than it asks, at the speed its true
// scaling has there, and pays for a requeue what a restart costs; in mode preempt nothing of it
// happens.
func TestElasticSizesAct(t *testing.T) {
	const slowdown = (4 / 1.3) / (8 / 1.7) // Amdahl with .1 on 4 GPUs against 8
	for _, c := range []struct {
		mode  bridge.Mode
		sized bool
	}{{bridge.ModePreempt, false}, {bridge.ModeElastic, true}} {
		r, err := newRunner(Config{PolicyName: "afs", Policy: decider(t, "afs"), Nodes: cluster(1), Jobs: crowd(), Mode: c.mode, LoopConfig: bridge.DefaultConfig()})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.runToEnd(); err != nil {
			t.Fatal(err)
		}
		work, lost, sized := map[int64]float64{}, map[int64]time.Duration{}, false
		for _, e := range r.world.EndedRuns() {
			speed := 1.0
			if e.GPUCount == 4 {
				speed, sized = slowdown, true
			}
			work[e.JobID] += speed * (e.End.Sub(e.Start) - e.LostTime).Seconds()
			if e.LostTime > 0 {
				lost[e.JobID] += e.LostTime
			}
		}
		for i, j := range r.jobs {
			if got := work[int64(i+1)]; math.Abs(got-j.Duration) > 3 {
				t.Errorf("mode %s: job %d did %g s of work, want %g", c.mode, j.ID, got, j.Duration)
			}
		}
		out := r.newResult()
		for i, o := range out.JobOutcomes {
			if want := time.Duration(o.StopCount) * time.Minute; (lost[int64(i+1)] - want).Abs() > 2*time.Second {
				t.Errorf("mode %s: job %d was stopped %d times and lost %v, want %v", c.mode, o.ID, o.StopCount, lost[int64(i+1)], want)
			}
		}
		if sized != c.sized {
			t.Errorf("mode %s: a job ran on another size: %t", c.mode, sized)
		}
		t.Logf("mode %s: %d stops, %d writes", c.mode, out.CountStops(), out.WriteCount)
	}
}

// TestSpeedsAreReported: a job that declared a range reports its speed where it runs, and what it
// reported on another size is known after it was requeued; silent jobs tell nothing.
func TestSpeedsAreReported(t *testing.T) {
	jobs := crowd()
	jobs[1].IsSilent = true
	var seen []policy.Scaling
	c := Config{PolicyName: "afs", Policy: watchingPolicy{decider(t, "afs"), func(s *policy.Snapshot) {
		for i := range s.Jobs {
			switch j := &s.Jobs[i]; {
			case j.ID == 1 && j.Scaling != nil && j.Scaling.Source == policy.ScalingFromReports:
				seen = append(seen, *j.Scaling)
			case j.ID == 2 && j.Scaling != nil && j.Scaling.Source == policy.ScalingFromReports:
				t.Error("the silent job reported its speed")
			}
		}
	}}, Nodes: cluster(1), Jobs: jobs, Mode: bridge.ModeElastic, LoopConfig: bridge.DefaultConfig()}
	if _, err := Run(c); err != nil {
		t.Fatal(err)
	}
	if len(seen) == 0 {
		t.Fatal("nothing was reported")
	}
	last := seen[len(seen)-1]
	for _, p := range last.Points {
		if want := float64(p.Devices) / (1 + .1*float64(p.Devices-1)); math.Abs(p.StepsPerSecond-want) > 1e-9 {
			t.Errorf("on %d GPUs it reports %g steps a second, want %g", p.Devices, p.StepsPerSecond, want)
		}
	}
	if len(last.Points) < 2 {
		t.Errorf("known are the speeds on %+v, want those on both sizes it ran on", last.Points)
	}
}

// watchingPolicy is a policy of which every snapshot is looked at.
type watchingPolicy struct {
	policy.Policy
	look func(*policy.Snapshot)
}

func (w watchingPolicy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	w.look(s)
	return w.Policy.Decide(s)
}
