package engine_test

import (
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// besideFirst puts every job beside the first of the snapshot.
type besideFirst struct{}

func (besideFirst) Pack(r *engine.Round, _ *engine.Entry) (engine.SharedPlace, error) {
	return engine.SharedPlace{On: r.Jobs[0].On, Beside: r.Jobs[0].ID}, nil
}

// TestWhoIsPutBesideNone: a job whose place Slurm chooses, and any job where a GPU of the node is not to be given out: which it
// would have nothing tells.
func TestWhoIsPutBesideNone(t *testing.T) {
	accepts := func(j *policy.Job) { j.Shareable = true }
	for name, c := range map[string]struct {
		change func(*policy.Snapshot)
		want   policy.Verb
	}{
		"a job like any other":      {func(*policy.Snapshot) {}, policy.Start},
		"Slurm chooses its place":   {func(s *policy.Snapshot) { s.Jobs[1].UnplaceableReason = "constraint [a|b]" }, policy.Wait},
		"a GPU of the node is sick": {func(s *policy.Snapshot) { s.Nodes[0].GPUs[0].SickCount = 1 }, policy.Wait},
	} {
		s := with(with(cluster(1), 8, running("n1", 0, 0), accepts), 8, accepts)
		c.change(s)
		plan, _ := decide(t, engine.Pipeline{Pack: besideFirst{}}, s)
		if got := plan.Decisions[1].Verb; got != c.want {
			t.Errorf("%s: %s, want %s: %s", name, got, c.want, plan.Decisions[1].Why)
		}
	}
}
