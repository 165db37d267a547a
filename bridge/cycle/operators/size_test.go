package operators_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestASizeInAJobThatIsLeftAlone: a waiting job for which we asked more than its owner did, and in which somebody then
// changed something else of ours, gets its owner's number back. In mode observe nothing is sent.
func TestASizeInAJobThatIsLeftAlone(t *testing.T) {
	for mode, want := range map[bridge.Mode]int{bridge.ModeElastic: 4, bridge.ModeRank: 4, bridge.ModeObserve: 8} {
		s := newSite(t, t.TempDir(), 2, mode, "fifo", nil)
		id, err := s.World.Submit(sim.JobSpec{User: "ann", Account: "vision", GPUsPerNode: 4, TimeLimit: time.Hour, WorkTime: time.Hour, Comment: "fairbridge:min=2,max=8"})
		check(t, err)
		s.cycles(3)
		j, err := s.RereadJob(t.Context(), id)
		check(t, err)
		size := slurm.Edit{Run: j.CurrentRun(), Address: j.Address(), Kind: slurm.EditSetGPUs, Value: 8}
		check(t, s.DirectCluster.ApplyEdit(t.Context(), size))
		s.note(bridge.Intent{Edit: size, Before: bridge.JobBefore{GPUs: 4}}, bridge.IntentObserved)
		s.note(bridge.Intent{Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditExcludeNodes, Nodes: []string{"n1"}}}, bridge.IntentYielded)
		s.cycles(3)
		j, err = s.RereadJob(t.Context(), id)
		check(t, err)
		if gpus, err := j.RequestedGPUs(); err != nil || gpus.Count != want {
			t.Errorf("mode %s: it asks for %d GPUs, want %d: %v", mode, gpus.Count, want, err)
		}
	}
}

// TestANodeListInAJobThatIsLeftAlone: our node list does not keep a waiting job to one node for a day because
// somebody changed something else in it after us. One that he wrote himself stays, and in mode observe nothing is sent.
func TestANodeListInAJobThatIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		mode  bridge.Mode
		shown string // required by the record
		want  string
	}{
		"ours":           {bridge.ModeSteer, "n2", ""},
		"lowered":        {bridge.ModeRank, "n2", ""},
		"his":            {bridge.ModeSteer, "n1", "n1"},
		"mode observing": {bridge.ModeObserve, "n2", "n2"},
	} {
		s := newSite(t, t.TempDir(), 2, c.mode, "fifo", nil)
		_, err := s.World.Submit(sim.JobSpec{User: "bob", Account: "vision", GPUsPerNode: 8, MinNodes: 2, TimeLimit: time.Hour, WorkTime: time.Hour})
		check(t, err)
		s.cycles(2)
		id, err := s.World.Submit(sim.JobSpec{User: "ann", Account: "vision", GPUsPerNode: 4, TimeLimit: time.Hour, WorkTime: time.Hour})
		check(t, err)
		s.cycles(1)
		j, err := s.RereadJob(t.Context(), id)
		check(t, err)
		pin := slurm.Edit{Run: j.CurrentRun(), Address: j.Address(), Kind: slurm.EditRequireNodes, Nodes: []string{c.shown}}
		check(t, s.DirectCluster.ApplyEdit(t.Context(), pin))
		pin.Nodes = []string{"n2"}
		s.note(bridge.Intent{Edit: pin}, bridge.IntentObserved)
		s.note(bridge.Intent{Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSetGPUs, Value: 2}}, bridge.IntentYielded)
		s.cycles(3)
		j, err = s.RereadJob(t.Context(), id)
		check(t, err)
		if got := strings.Join(j.RequiredNodes.Names, ","); got != c.want || !j.IsPending() {
			t.Errorf("%s: it requires %q, want %q; it is %s", name, got, c.want, j.State)
		}
	}
}

// note writes down a change of ours and what became of it.
func (s *site) note(in bridge.Intent, state bridge.IntentState) {
	s.t.Helper()
	in.Epoch, in.Cluster, in.State, in.Made = 1, "lab", bridge.IntentPlanned, s.World.Now()
	stored, err := s.db.StoreIntents(context.Background(), nil, []bridge.Intent{in})
	check(s.t, err)
	stored[0].State, stored[0].Sent = state, s.World.Now()
	if state == bridge.IntentYielded {
		stored[0].Closed = s.World.Now()
	}
	check(s.t, s.db.UpdateIntent(context.Background(), stored[0]))
}
