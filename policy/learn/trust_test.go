package learn_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fairbridge/policy/learn"
)

// withoutOwners are the runs with nothing to tell them apart.
func withoutOwners(runs []learn.Run) []learn.Run {
	out := slices.Clone(runs)
	for i := range out {
		out[i].Job = learn.Job{User: "all", GPUs: 1}
	}
	return out
}

// TestTrustIsEarned wants trust where jobs resemble earlier ones, hardly any where they
// do not, and none of a few runs.
func TestTrustIsEarned(t *testing.T) {
	for seed := range uint64(5) {
		runs := days(seed, 600)
		if got := learn.Fit(runs, 0).Trust; got < .7 || got > .95 {
			t.Errorf("seed %d: trust %.2f where programs run alike", seed, got)
		}
		if got := learn.Fit(withoutOwners(runs), 0).Trust; got > .15 {
			t.Errorf("seed %d: trust %.2f where nothing tells jobs apart", seed, got)
		}
		if got := learn.Fit(runs[:20], 0).Trust; got != 0 {
			t.Errorf("seed %d: trust %.2f after 20 runs", seed, got)
		}
		if got := learn.Fit(runs[:40], 0).Trust; got > .5 {
			t.Errorf("seed %d: trust %.2f after 40 runs", seed, got)
		}
	}
}

// TestTrustIsAboutThePresent wants trust to go when jobs stop being like earlier ones.
func TestTrustIsAboutThePresent(t *testing.T) {
	runs := days(1, 1200)
	r := rand.New(rand.NewPCG(1, 2))
	late := runs[900:]
	r.Shuffle(len(late), func(i, j int) { late[i].Job, late[j].Job = late[j].Job, late[i].Job })
	if got := learn.Fit(runs, 0).Trust; got > .2 {
		t.Errorf("trust %.2f after 300 jobs that were like none before", got)
	}
}

func TestRunOrderTrust(t *testing.T) {
	ran := make([]float64, 180)
	for i := range ran {
		ran[i] = float64(i)
	}
	backwards := slices.Clone(ran)
	slices.Reverse(backwards)
	for _, c := range []struct {
		name      string
		predicted []float64
		want      float64
	}{
		{"in order", ran, .9}, {"the other way round", backwards, 0}, {"all alike", make([]float64, 180), 0},
		{"ten in order", ran[:10], 1. / 3}, {"one", ran[:1], 0}, {"none", nil, 0},
	} {
		if got := learn.RunOrderTrust(c.predicted, ran); got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

func TestAModelWithImpossibleTrustIsRefused(t *testing.T) {
	if _, err := learn.ParseModel([]byte(`{"version":2,"trust":2,"levels":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]}`)); err == nil || !strings.Contains(err.Error(), "trust") {
		t.Errorf("%v", err)
	}
}
