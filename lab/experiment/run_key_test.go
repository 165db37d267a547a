package experiment

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// mapKeeper keeps runs in memory.
type mapKeeper map[string]*measure.Run

func (m mapKeeper) FindRun(key string) (*measure.Run, error)   { return m[key], nil }
func (m mapKeeper) KeepRun(key string, run *measure.Run) error { m[key] = run; return nil }

func parsePolicy(t *testing.T, text string) policyset.PolicyChoice {
	t.Helper()
	all, err := policyset.ParsePolicies(text, true)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// TestRunKeyStandsForTheOutcome: whatever changes the outcome changes the key, and what is the
// same has the same.
func TestRunKeyStandsForTheOutcome(t *testing.T) {
	base := study.RunOptions{Seed: 1, Exact: &Exact{}}
	key := func(s *study.Scenario, policy string, change func(*study.RunOptions)) string {
		o := base
		if change != nil {
			change(&o)
		}
		k, err := s.RunKey(parsePolicy(t, policy), o)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	keys := []string{
		key(hourly(t, 5), "drf", nil), key(hourly(t, 6), "drf", nil), key(hourly(t, 5), "fifo", nil), key(hourly(t, 5), "gavel:objective=makespan", nil), key(hourly(t, 5), "gavel", nil),
		key(hourly(t, 5), "drf", func(o *study.RunOptions) { o.Seed = 2 }), key(hourly(t, 5), "drf", func(o *study.RunOptions) { o.ThroughSlurm = true }),
		key(hourly(t, 5), "drf", func(o *study.RunOptions) { o.KnowsTruth = true }), key(hourly(t, 5), "drf", func(o *study.RunOptions) { o.NoiseFactor = 2 }),
		key(hourly(t, 5), "drf", KeepNodeShapes), key(hourly(t, 5), "drf", func(o *study.RunOptions) { o.PredictsNothing = true }),
		key(hourly(t, 5), "drf", func(o *study.RunOptions) { o.BillingWeights = policy.BillingWeights{"t4": .25} }),
		key(hourly(t, 5), "drf", func(o *study.RunOptions) { SetRestartCost(o, time.Minute) }),
	}
	unstoppable := hourly(t, 5)
	unstoppable.Jobs[2].IsUnstoppable = true
	heavier := hourly(t, 5)
	heavier.Accounts[0].Weight = 3
	keys = append(keys, key(unstoppable, "drf", nil), key(heavier, "drf", nil))
	if n := len(slices.Compact(slices.Sorted(slices.Values(keys)))); n != len(keys) {
		t.Errorf("%d different runs have %d keys", len(keys), n)
	}
	if again := key(hourly(t, 5), "drf", nil); again != keys[0] {
		t.Error("the same run has another key")
	}
	own := base
	own.LoopConfig.Interval = time.Minute
	if _, err := hourly(t, 5).RunKey(parsePolicy(t, "drf"), own); err == nil {
		t.Error("a loop with settings of its own has a key")
	}
}

// TestKeptRunIsNotMadeAgain: the second time the run is read back, and is what the first was.
func TestKeptRunIsNotMadeAgain(t *testing.T) {
	s, keeper := hourly(t, 5), mapKeeper{}
	made := 0
	p := choice(t, "counted", func(int) error { made++; return nil })
	o := study.RunOptions{Seed: 1}
	if err := SetClock(&o, "auto", 0, s); err != nil {
		t.Fatal(err)
	}
	first, err := s.RunOrRead(t.Context(), keeper, p, o)
	if err != nil {
		t.Fatal(err)
	}
	decisions := made
	second, err := s.RunOrRead(t.Context(), keeper, p, o)
	if diff := cmp.Diff(first, second); err != nil || diff != "" || made != decisions || made == 0 {
		t.Errorf("%d decisions, then %d (%v)\n%s", decisions, made, err, diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.Seed = 2
	if _, err := s.RunOrRead(ctx, keeper, p, o); err == nil || len(keeper) != 1 {
		t.Errorf("an interrupted run is kept (%v)", err)
	}
}
