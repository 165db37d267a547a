package operators_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// typedJob is a job of four A100 whose owner says so much more.
func typedJob(comment string) sim.JobSpec {
	return sim.JobSpec{User: "ann", Account: "vision", GPUsPerNode: 4, GPUType: "a100", TimeLimit: time.Hour, WorkTime: time.Hour, Checkpoints: true, Comment: comment}
}

// TestTypesThroughTheLoop: a job that asks for A100, all of which are taken, starts on H100 where its owner accepts them and
// the mode allows it, and else waits with the request that it had.
func TestTypesThroughTheLoop(t *testing.T) {
	for name, c := range map[string]struct {
		comment string
		mode    bridge.Mode
		state   string
		asks    string // for which type
	}{
		"accepted":      {"fairbridge:types=h100", bridge.ModeElastic, "RUNNING", "h100"},
		"not accepted":  {"fairbridge:class=x", bridge.ModeElastic, "PENDING", "a100"},
		"not there":     {"fairbridge:types=t4", bridge.ModeElastic, "PENDING", "a100"},
		"a lower mode":  {"fairbridge:types=h100", bridge.ModePreempt, "PENDING", "a100"},
		"only observed": {"fairbridge:types=h100", bridge.ModeObserve, "PENDING", "a100"},
	} {
		nodes := sim.UniformNodes(2, "a100", 8)
		nodes[1].GPUs[0].Type = "h100"
		s := newSiteOf(t, t.TempDir(), nodes, 0, c.mode, "sia", nil)
		hog := typedJob("")
		hog.GPUsPerNode, hog.WorkTime, hog.TimeLimit = 8, 5*time.Hour, 9*time.Hour
		_, err := s.World.Submit(hog)
		check(t, err)
		s.cycles(3)
		id, err := s.World.Submit(typedJob(c.comment))
		check(t, err)
		s.cycles(6)
		j, err := s.RereadJob(t.Context(), id)
		check(t, err)
		if gpus, err := j.RequestedGPUs(); err != nil || j.State != c.state || gpus.Type != c.asks || gpus.Count != 4 {
			t.Errorf("%s: it is %s and asks for %d %q (%v), want %s and %q", name, j.State, gpus.Count, gpus.Type, err, c.state, c.asks)
		}
	}
}

// TestATypeIsGivenBack: H100 of ours that are not wanted any more become the owner's A100 again, in every mode that sends
// anything; and what somebody wrote after us stays.
func TestATypeIsGivenBack(t *testing.T) {
	for name, c := range map[string]struct {
		mode bridge.Mode
		now  string // the type that the record shows
		want string
	}{
		"not started on them": {bridge.ModeElastic, "h100", "a100"},
		"a lower mode":        {bridge.ModeRank, "h100", "a100"},
		"only observed":       {bridge.ModeObserve, "h100", "h100"},
		"somebody wrote t4":   {bridge.ModeElastic, "t4", "t4"},
	} {
		s := newSite(t, t.TempDir(), 2, c.mode, "fifo", nil)
		id, err := s.World.Submit(typedJob("fairbridge:types=h100"))
		check(t, err)
		s.cycles(3)
		j, err := s.RereadJob(t.Context(), id)
		check(t, err)
		size := slurm.Edit{Run: j.CurrentRun(), Address: j.Address(), Kind: slurm.EditSetGPUs, Value: 4, Text: c.now}
		check(t, s.DirectCluster.ApplyEdit(t.Context(), size))
		size.Text = "h100"
		s.note(bridge.Intent{Edit: size, Before: bridge.JobBefore{GPUs: 4, GPUType: "a100"}}, bridge.IntentObserved)
		s.cycles(4)
		j, err = s.RereadJob(t.Context(), id)
		check(t, err)
		if gpus, err := j.RequestedGPUs(); err != nil || gpus.Type != c.want || gpus.Count != 4 {
			t.Errorf("%s: it asks for %d %q, want %q (%v)", name, gpus.Count, gpus.Type, c.want, err)
		}
	}
}
