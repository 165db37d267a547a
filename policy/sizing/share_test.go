package sizing_test

import (
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/place"
	"fairbridge/policy/sizing"
)

// bySize lets every GPU be worth as much as the first; a change costs a tenth.
type bySize struct{}

func (bySize) Judge(g *sizing.Group) []sizing.Worth {
	all := make([]sizing.Worth, len(g.Jobs))
	for i, e := range g.Jobs {
		options := []int{e.DeviceCount()}
		if e.IsElastic() {
			options = g.Sizes(e, e.MinGPUs, e.MaxGPUs)
		}
		all[i] = sizing.Worth{Options: options, Of: func(devices, _ int) float64 { return float64(devices) }, Change: .9}
	}
	return all
}

func (b bySize) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	all := make([]engine.Assignment, len(r.Entries))
	for i, e := range r.Entries {
		all[i] = sizing.LeastWithoutLease(e)
	}
	sizing.Share(r, all, func(e *engine.Entry) bool { return e.Account != "apart" }, b)
	return all, nil
}

func decideShare(t *testing.T, s *policy.Snapshot) []policy.Decision {
	t.Helper()
	plan, err := engine.Pipeline{Allocate: bySize{}, Place: place.OnAssignedDevices{}, Rules: engine.Rules{MinRun: time.Second}}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan.Decisions
}

// twoNodes is two nodes of four GPUs and eight cores. The first job runs on two GPUs of the first
// node, the second waits; both run on one to eight GPUs.
func twoNodes(change func(s *policy.Snapshot, runs, waits *policy.Job)) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime}
	for _, name := range []string{"n1", "n2"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"p"}, CPUs: 8, GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}})
	}
	for i := range 2 {
		at := s.Now.Add(-time.Hour)
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: at, Submit: at,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 2}}, MinGPUs: 1, MaxGPUs: 8})
	}
	s.Jobs[0].State, s.Jobs[0].Start, s.Jobs[0].On = policy.Running, s.Now.Add(-time.Hour), policy.Alloc{{Node: "n1", Type: "g", Count: 2}}
	change(s, &s.Jobs[0], &s.Jobs[1])
	return s
}

func TestShare(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(s *policy.Snapshot, runs, waits *policy.Job)
		verb        policy.Verb
		runs, waits int // GPUs
	}{
		"equal parts":            {func(_ *policy.Snapshot, _, _ *policy.Job) {}, policy.Resize, 4, 4},
		"its node is drained":    {func(s *policy.Snapshot, _, _ *policy.Job) { s.Nodes[0].DownReason = "drained" }, policy.Keep, 2, 4},
		"it must not be stopped": {func(_ *policy.Snapshot, runs, _ *policy.Job) { runs.UnstoppableReason = "exempt" }, policy.Keep, 2, 6},
		"it takes no part":       {func(_ *policy.Snapshot, runs, _ *policy.Job) { runs.Account = "apart" }, policy.Keep, 2, 6},
		"it is rigid":            {func(_ *policy.Snapshot, runs, _ *policy.Job) { runs.MinGPUs, runs.MaxGPUs = 0, 0 }, policy.Keep, 2, 6},
		"few cores are left": {func(_ *policy.Snapshot, runs, waits *policy.Job) {
			runs.UnstoppableReason, waits.Ask.CPUs = "exempt", 8
		}, policy.Keep, 2, 4},
		"the other takes any type": {func(_ *policy.Snapshot, _, waits *policy.Job) { waits.Ask.GPUs.Type = "" }, policy.Resize, 4, 4},
		"the other may not start":  {func(_ *policy.Snapshot, _, waits *policy.Job) { waits.HeldReason = "held" }, policy.Resize, 8, 0},
		"the other wants one node": {func(_ *policy.Snapshot, _, waits *policy.Job) { waits.Ask.MaxNodes = 1 }, policy.Resize, 4, 4},
		"it has only just started": {func(_ *policy.Snapshot, runs, _ *policy.Job) { runs.Start = runs.Start.Add(time.Hour) }, policy.Keep, 2, 6},
	} {
		d := decideShare(t, twoNodes(c.change))
		if d[1].Verb != policy.Start {
			d[1].GPUs = 0
		}
		if d[0].Verb != c.verb || d[0].GPUs != c.runs || d[1].GPUs != c.waits {
			t.Errorf("%s: %+v, want to %s on %d and %d GPUs", name, d, c.verb, c.runs, c.waits)
		}
	}
}
