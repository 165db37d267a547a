package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/preempt"
)

// turns is an Allocator that is a function.
type turns func(*engine.Round) ([]engine.Assignment, error)

func (f turns) Allocate(r *engine.Round) ([]engine.Assignment, error) { return f(r) }

// TestAllocate wants order, size, lease, type and note of the turns in the plan.
func TestAllocate(t *testing.T) {
	s := withH100(cluster(1))
	with(s, 8, running("n1", time.Hour, 0))
	with(s, 4, func(j *policy.Job) { j.MinGPUs, j.MaxGPUs, j.Ask.GPUs.Type = 2, 8, "" })
	with(s, 2)
	lastFirst := turns(func(r *engine.Round) ([]engine.Assignment, error) {
		all := []engine.Assignment{r.Entries[2].AssignmentWithoutLease(), r.Entries[1].AssignmentWithoutLease(), r.Entries[0].AssignmentWithoutLease()}
		all[0].Grant.HasLease, all[0].Note = true, "its turn"
		all[1].Grant, all[1].DeviceCount = engine.Grant{HasLease: true, GPUType: "h100"}, 8
		return all, nil
	})
	plan, got := decide(t, engine.Pipeline{Allocate: lastFirst, Backfill: backfill.Greedy{}}, s)
	if want := "1 stop; 2 start n9:8×h100; 3 start n1:2×a100"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if d := plan.Decisions[2]; d.Rank != 1 || !strings.HasSuffix(d.Why, "; its rank: its turn") {
		t.Errorf("job 3 has rank %d: %s", d.Rank, d.Why)
	}
	if d := plan.Decisions[0]; d.StoppedFor != 3 || d.Rank != 3 {
		t.Errorf("job 1 gives way to job %d, and has rank %d", d.StoppedFor, d.Rank)
	}
}

// TestAllocateKnows wants sizes and what stays to be known to an Allocator.
func TestAllocateKnows(t *testing.T) {
	s := with(with(with(cluster(2), 4, running("n1", time.Minute, 0)), 4, running("n2", time.Hour, 0)), 3)
	asked := turns(func(r *engine.Round) ([]engine.Assignment, error) {
		var all []engine.Assignment
		for i, e := range r.Entries {
			if e.WantedDeviceCount != e.DeviceCount() || e.IsUnstoppable != (i == 0) {
				t.Errorf("job %d wants %d devices and stays: %v", e.ID, e.WantedDeviceCount, e.IsUnstoppable)
			}
			all = append(all, e.AssignmentWithoutLease())
		}
		all[1].Grant.MayRunWithoutLease, all[2].Grant.HasLease = true, true
		all[2].DeviceCount = 0
		return all, nil
	})
	if _, got := decide(t, engine.Pipeline{Allocate: asked}, s); got != "1 keep n1:4×a100; 2 keep n2:4×a100; 3 wait" {
		t.Error(got)
	}
}

// TestKeep lets a job run on without a lease though another has one and no room.
func TestKeep(t *testing.T) {
	s := with(with(cluster(1), 8, running("n1", time.Hour, 0)), 8)
	for _, keep := range []bool{false, true} {
		second := turns(func(r *engine.Round) ([]engine.Assignment, error) {
			all := []engine.Assignment{r.Entries[0].AssignmentWithoutLease(), r.Entries[1].AssignmentWithoutLease()}
			all[0].Grant.MayRunWithoutLease, all[1].Grant.HasLease = keep, true
			return all, nil
		})
		want := map[bool]string{false: "1 stop; 2 start n1:8×a100", true: "1 keep n1:8×a100; 2 wait"}[keep]
		if _, got := decide(t, engine.Pipeline{Allocate: second}, s); got != want {
			t.Errorf("keep %v: %s, want %s", keep, got, want)
		}
	}
}

// TestTiersBesideLeases wants a Preempter to decide in place of the leases, and the
// line to stay as it was allocated.
func TestTiersBesideLeases(t *testing.T) {
	s := with(with(cluster(1), 8, running("n1", time.Hour, 0)), 8, qos("urgent"))
	leased := turns(func(r *engine.Round) ([]engine.Assignment, error) {
		all := []engine.Assignment{r.Entries[0].AssignmentWithoutLease(), r.Entries[1].AssignmentWithoutLease()}
		all[1].Grant.HasLease = true
		return all, nil
	})
	for name, c := range map[string]struct {
		preempt engine.Preempter
		want    string
		first   int // rank of job 1
	}{
		"leases":           {nil, "1 stop; 2 start n1:8×a100", 2},
		"tiers of leases":  {preempt.ByLease, "1 stop; 2 start n1:8×a100", 1},
		"other tiers":      {preempt.ByQOS("normal"), "1 keep n1:8×a100; 2 wait", 1},
		"no job gives way": {preempt.NoPreemption, "1 keep n1:8×a100; 2 wait", 1},
	} {
		plan, got := decide(t, engine.Pipeline{Allocate: leased, Preempt: c.preempt}, s)
		if got != c.want || plan.Decisions[0].Rank != c.first {
			t.Errorf("%s: %s, job 1 has rank %d; want %s, rank %d", name, got, plan.Decisions[0].Rank, c.want, c.first)
		}
	}
}

func TestAllocateErrors(t *testing.T) {
	oops := errors.New("oops")
	for want, f := range map[string]turns{
		"policy x: allocating: oops": func(*engine.Round) ([]engine.Assignment, error) { return nil, oops },
		"allocating: the line of 1 must hold each of the 2 jobs": func(r *engine.Round) ([]engine.Assignment, error) {
			return []engine.Assignment{r.Entries[0].AssignmentWithoutLease()}, nil
		},
		"must hold each of the 2 jobs once; job 2": func(r *engine.Round) ([]engine.Assignment, error) {
			return []engine.Assignment{{Entry: r.Entries[0]}, {Entry: r.Entries[0]}}, nil
		},
		"allocating: job 1 asks for 4 GPUs and cannot run on 3": func(r *engine.Round) ([]engine.Assignment, error) {
			return []engine.Assignment{{Entry: r.Entries[0], DeviceCount: 3}, r.Entries[1].AssignmentWithoutLease()}, nil
		},
	} {
		plan, err := engine.Pipeline{Name: "x", Allocate: f}.Decide(with(with(cluster(1), 4), 4))
		if err == nil || !strings.Contains(err.Error(), want) || plan != nil {
			t.Errorf("Decide = %v, %v; want %q", plan, err, want)
		}
	}
}
