package gate_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// harmfulWorld is a full cluster on which every job may be stopped, as many wait, and a policy
// swaps as many as it may, each of a user and an account of its own.
type harmfulWorld struct {
	gate.CommonInput
	jobGPUs     int
	maxSwaps    int // in one plan
	stops       int
	stoppedGPUs float64
	lostWork    policy.GPUSeconds
}

func newHarmfulWorld(gpus, jobGPUs int) *harmfulWorld {
	h := &harmfulWorld{CommonInput: world(), jobGPUs: jobGPUs, maxSwaps: gpus / jobGPUs}
	h.CycleInterval = 2 * time.Minute
	h.Snapshot.Nodes, h.View.Nodes, h.Snapshot.Jobs, h.View.Jobs = nil, nil, nil, nil
	count := int64(gpus / jobGPUs)
	for i := range count {
		waits(&h.CommonInput, 1+i)
	}
	for i := range count {
		runs(&h.CommonInput, 1+count+i, fmt.Sprintf("n%d", int(i)*jobGPUs/8))
	}
	for i := range gpus / 8 {
		name := fmt.Sprintf("n%d", i)
		h.Snapshot.Nodes = append(h.Snapshot.Nodes, policy.Node{Name: name, Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}})
		h.View.Nodes = append(h.View.Nodes, slurm.Node{Name: name, State: "MIXED", Partitions: []string{"gpu"}})
	}
	for i := range h.Snapshot.Jobs {
		p, j := &h.Snapshot.Jobs[i], &h.View.Jobs[i]
		p.Account, p.Ask.GPUs.Count = p.User, jobGPUs
		if j.Account = p.User; p.HoldsGPUs() {
			p.On[0].Count = jobGPUs
		}
	}
	return h
}

// runHour lets an hour of cycles pass, in which what the gate lets through happens.
func (h *harmfulWorld) runHour(t *testing.T) {
	for i := range int(time.Hour / h.CycleInterval) {
		now := noon.Add(time.Duration(i) * h.CycleInterval)
		h.Now, h.PolledAt, h.Snapshot.Now, h.View.At = now.Add(time.Second), now, now, now
		out := gate.FilterPlan(gate.PlanInput{CommonInput: h.CommonInput, Plan: h.newPlan()})
		if len(out.Doubts) > 0 {
			t.Fatalf("cycle %d: %v", i, out.Doubts)
		}
		for _, s := range out.Stops {
			h.carryOut(s)
		}
	}
}

// newPlan stops the jobs that ran longest, each for one that has not run yet.
func (h *harmfulWorld) newPlan() *policy.Plan {
	in := gate.PlanInput{CommonInput: h.CommonInput, Plan: quiet(&h.CommonInput)}
	var waiting []int64
	for i := range h.Snapshot.Jobs {
		if p := &h.Snapshot.Jobs[i]; p.State == policy.Pending && p.StopCount == 0 {
			waiting = append(waiting, int64(p.ID))
		}
	}
	for i := range h.Snapshot.Jobs {
		p := &h.Snapshot.Jobs[i]
		if n := h.maxSwaps; !p.HoldsGPUs() || h.Snapshot.Now.Sub(p.Start) < time.Hour || n == 0 || len(waiting) == 0 || countStopped(in.Plan) == n {
			continue
		}
		swap(&in, int64(p.ID), waiting[0])
		decision(in.Plan, waiting[0]).GPUs = h.jobGPUs
		waiting = waiting[1:]
	}
	return in.Plan
}

func countStopped(p *policy.Plan) (n int) {
	for i := range p.Decisions {
		if p.Decisions[i].Verb == policy.Stop {
			n++
		}
	}
	return n
}

// carryOut stops the job and starts the one it was stopped for.
func (h *harmfulWorld) carryOut(s bridge.Stop) {
	h.stops, h.stoppedGPUs, h.lostWork = h.stops+1, h.stoppedGPUs+s.GPUs, h.lostWork+s.Lost
	s.SentAt = h.Snapshot.Now
	h.RecentStops = append(h.RecentStops, s)
	p, b := planJob(&h.CommonInput, s.Job), planJob(&h.CommonInput, s.Beneficiary)
	j, v := viewJob(&h.CommonInput, s.Job), viewJob(&h.CommonInput, s.Beneficiary)
	b.State, b.On, b.Start = policy.Running, p.On, h.Snapshot.Now
	v.State, v.Nodes, v.Start = "RUNNING", j.Nodes, h.Snapshot.Now
	p.State, p.On, p.StopCount = policy.Pending, nil, p.StopCount+1
	j.State, j.Nodes, j.Restarts = "PENDING", slurm.Hosts{}, j.Restarts+1
}

// TestHarmOfAWrongPolicyInAnHour: a policy that swaps all it may for an hour stops no more than one
// job, or two percent of the GPUs, or on a small cluster a quarter of them or 16, whichever is
// less; go test -v tells what that comes to, and what it would without the rule for small ones.
func TestHarmOfAWrongPolicyInAnHour(t *testing.T) {
	for _, c := range []struct {
		gpus, jobGPUs int
		mostGPUs      float64
	}{
		{8, 1, 2}, {8, 8, 8}, {32, 1, 8}, {32, 8, 8}, {64, 1, 16}, {64, 8, 16}, {256, 8, 16}, {800, 8, 16}, {1600, 8, 32},
	} {
		h, before := newHarmfulWorld(c.gpus, c.jobGPUs), newHarmfulWorld(c.gpus, c.jobGPUs)
		before.Budgets.SmallClusterGPUs = 0
		h.runHour(t)
		before.runHour(t)
		t.Logf("%4d GPUs, jobs of %d: %2d stops of %2.0f GPUs (%4.1f %%), %v lost; by percentages alone %2d of %2.0f, %v", c.gpus, c.jobGPUs,
			h.stops, h.stoppedGPUs, 100*h.stoppedGPUs/float64(c.gpus), h.lostWork, before.stops, before.stoppedGPUs, before.lostWork)
		if h.stoppedGPUs != c.mostGPUs {
			t.Errorf("%d GPUs, jobs of %d: %g GPUs were stopped in an hour, want %g", c.gpus, c.jobGPUs, h.stoppedGPUs, c.mostGPUs)
		}
		if most := policy.ServiceForTime(float64(c.gpus), 6*time.Minute); h.stops > 1 && h.lostWork > most {
			t.Errorf("%d GPUs, jobs of %d: %v was lost in an hour, more than %v", c.gpus, c.jobGPUs, h.lostWork, most)
		}
	}
}

// TestCostlyStopsEndSooner: where a stop costs much, the work lost in an hour bounds them, but for
// the first.
func TestCostlyStopsEndSooner(t *testing.T) {
	for cost, want := range map[time.Duration]int{time.Minute: 8, 12 * time.Minute: 8, 48 * time.Minute: 4, 2 * time.Hour: 1} {
		h := newHarmfulWorld(32, 1)
		for i := range h.Snapshot.Jobs {
			h.Snapshot.Jobs[i].CheckpointCost = cost
			h.Snapshot.Jobs[i].Limit = 10 * 24 * time.Hour
		}
		h.runHour(t)
		if h.stops != want {
			t.Errorf("a stop costs %v: %d in an hour, want %d", cost, h.stops, want)
		}
	}
}
