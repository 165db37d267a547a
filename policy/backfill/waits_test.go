package backfill_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
)

// waitsOf asks for the waits of requests on a snapshot, in hours; -1: never. Jobs run for their time limits.
func waitsOf(t *testing.T, s *policy.Snapshot, plan []policy.Ask, asks ...policy.Ask) (hours []float64) {
	t.Helper()
	look := leaser(func(r *engine.Round) {
		w := backfill.NewWaits(r, nil)
		for _, a := range plan {
			at, _ := w.Wait(r, "p", a, "g", time.Hour)
			w.Plan("g", a.GPUs.Count, at, time.Hour)
		}
		for _, a := range asks {
			at, ok := w.Wait(r, "p", a, "g", time.Hour)
			if !ok {
				at = -time.Hour
			}
			hours = append(hours, at.Hours())
		}
	})
	if _, err := (engine.Pipeline{Lease: look}).Decide(s); err != nil {
		t.Fatal(err)
	}
	return hours
}

// leaser looks at a round, and grants nothing.
type leaser func(*engine.Round)

func (l leaser) Lease(r *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	l(r)
	return make([]engine.Grant, len(line)), nil
}

// twoBusyNodes are two nodes of four GPUs: the first is busy for six hours, of the second half for three and half for nine.
func twoBusyNodes() *policy.Snapshot {
	s := &policy.Snapshot{Now: now}
	for _, name := range []string{"n1", "n2"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}})
	}
	for i, x := range []struct {
		node  string
		gpus  int
		hours time.Duration
	}{{"n1", 4, 6}, {"n2", 2, 3}, {"n2", 2, 9}} {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), Partition: "p", State: policy.Running, Start: now, Arrive: now, Limit: x.hours * time.Hour,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: x.gpus}}, On: policy.Alloc{{Node: x.node, Type: "g", Count: x.gpus}}})
	}
	return s
}

func gang(gpus, maxNodes, perNode int) policy.Ask {
	return policy.Ask{GPUs: policy.GPUs{Type: "g", Count: gpus}, MaxNodes: maxNodes, PerNode: perNode}
}

// TestWaits: on one node one or two GPUs are free in three hours and four in six, two whole nodes in nine, and six GPUs anywhere
// in six. Those that have a plan are waited for.
func TestWaits(t *testing.T) {
	asks := []policy.Ask{gang(1, 1, 0), gang(2, 1, 0), gang(4, 1, 0), gang(8, 0, 4), gang(6, 0, 0), gang(9, 0, 0), gang(5, 1, 0)}
	if got, want := waitsOf(t, twoBusyNodes(), nil, asks...), []float64{3, 3, 6, 9, 6, -1, -1}; !slices.Equal(got, want) {
		t.Errorf("waits %v, want %v", got, want)
	}
	if got, want := waitsOf(t, twoBusyNodes(), []policy.Ask{gang(2, 0, 0), gang(6, 0, 0)}, gang(1, 0, 0), gang(2, 0, 0), gang(4, 0, 0)), []float64{4, 4, 7}; !slices.Equal(got, want) {
		t.Errorf("behind plans of two GPUs and six: waits %v, want %v", got, want)
	}
}

// TestNoWaitWhereItFits: nothing is waited for where it fits now, and less where a job leaves.
func TestNoWaitWhereItFits(t *testing.T) {
	asks := []policy.Ask{gang(1, 1, 0), gang(2, 1, 0), gang(4, 1, 0), gang(8, 0, 4), gang(6, 0, 0)}
	before := waitsOf(t, twoBusyNodes(), nil, asks...)
	for gone := range 3 {
		s := twoBusyNodes()
		s.Jobs = slices.Delete(s.Jobs, gone, gone+1)
		for i, w := range waitsOf(t, s, nil, asks...) {
			if fits := s.Jobs != nil && gone == 0 && asks[i].GPUs.Count <= 4 || gone > 0 && asks[i].GPUs.Count <= 2; w > before[i] || (w == 0) != fits {
				t.Errorf("without job %d: %s waits %g hours, %g with it; fits now: %v", gone+1, asks[i].Describe(), w, before[i], fits)
			}
		}
	}
}
