package sizing_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// probe is an Allocator that lets a test look at the round.
type probe func(r *engine.Round, line []*engine.Entry)

// Allocate implements engine.Allocator.
func (p probe) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	p(r, r.Entries)
	all := make([]engine.Assignment, len(r.Entries))
	for i, e := range r.Entries {
		all[i] = e.AssignmentWithoutLease()
	}
	return all, nil
}

// onNode runs a test on a node of eight GPUs with an elastic job that holds six, another that
// holds two and must not be stopped, and a rigid one of four that waits.
func onNode(t *testing.T, look func(r *engine.Round, elastic, fixed, waits *engine.Entry)) {
	t.Helper()
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, CPUs: 16, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}}}
	for i, holds := range []int{6, 2, 0} {
		j := policy.Job{ID: policy.JobID(i + 1), Partition: "p", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 4}, CPUs: 4}}
		if holds > 0 {
			j.State, j.Start, j.On, j.MinGPUs, j.MaxGPUs = policy.Running, now.Add(-time.Hour), policy.Alloc{{Node: "n1", Type: "g", Count: holds}}, 1, 8
		}
		s.Jobs = append(s.Jobs, j)
	}
	s.Jobs[1].UnstoppableReason = "its owner says so"
	looked := false
	_, err := engine.Pipeline{Preempt: sizing.StopsNone{}, Allocate: probe(func(r *engine.Round, line []*engine.Entry) {
		looked = true
		look(r, line[0], line[1], line[2])
	})}.Decide(s)
	if err != nil || !looked {
		t.Fatal(err, looked)
	}
}

func TestDraft(t *testing.T) {
	onNode(t, func(r *engine.Round, elastic, fixed, waits *engine.Entry) {
		d := sizing.NewDraft(r)
		switch {
		case d.TrySize(waits, 4, nil), d.TrySize(fixed, 1, nil), d.TrySize(elastic, 7, nil):
			t.Error("there is no room, or the job must not be stopped")
		case !d.TrySize(elastic, 3, nil), d.TrySize(waits, 4, nil):
			t.Error("three are free, not four")
		case !d.TrySize(elastic, 2, nil), !d.TrySize(waits, 4, nil), d.Size(elastic) != 2, d.Size(waits) != 4, r.FreePool.TotalFree("g") != 0:
			t.Error("four are free")
		case !d.Holds(r.Entries), d.Size(waits) != 4:
			t.Error("the engine would come to the same")
		}
		d.Close()
		if d.Size(elastic) != 6 || d.Size(waits) != 0 || r.FreePool.TotalFree("g") != 0 || waits.WantedDeviceCount != 4 || elastic.WantedDeviceCount != 6 {
			t.Errorf("a closed draft leaves %+v and %+v", elastic, waits)
		}
	})
}

// TestGivesBackItsOwn: a job that shrank gets its very devices back while no other has them.
func TestGivesBackItsOwn(t *testing.T) {
	onNode(t, func(r *engine.Round, elastic, _, waits *engine.Entry) {
		d := sizing.NewDraft(r)
		mark := d.Mark()
		if !d.TrySize(elastic, 2, nil) || !d.TrySize(elastic, 6, nil) || !elastic.PlannedAlloc.Equal(elastic.On) {
			t.Errorf("%v, had %v", elastic.PlannedAlloc, elastic.On)
		}
		if d.Rewind(mark); !d.TrySize(elastic, 2, nil) || !d.TrySize(waits, 4, nil) || d.TrySize(elastic, 6, nil) {
			t.Error("another has them")
		}
		d.Close()
	})
}

// TestGrowth gives what is free one after the other to where it gains most.
func TestGrowth(t *testing.T) {
	onNode(t, func(r *engine.Round, elastic, fixed, waits *engine.Entry) {
		d := sizing.NewDraft(r)
		d.TrySize(elastic, 1, nil)
		sizing.Growth{
			Gain: func(e *engine.Entry, devices int) float64 { return float64(4 - devices) },
			Next: func(_ *engine.Entry, devices int) int { return devices + 1 },
		}.Run(d, []*engine.Entry{fixed, elastic, waits})
		if d.Size(elastic) != 3 || d.Size(fixed) != 2 || d.Size(waits) != 0 {
			t.Errorf("%d, %d and %d: the fourth gains nothing, the fixed job keeps its size, and the rigid one does not grow from none", d.Size(elastic), d.Size(fixed), d.Size(waits))
		}
		d.Close()
	})
}
