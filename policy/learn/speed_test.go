package learn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// ran makes runs of a user's program on a type, of so many seconds, give or take.
func ran(rng *rand.Rand, user, typ string, n int, seconds float64) []learn.Run {
	var out []learn.Run
	for i := range n {
		d := policy.DurationFromSeconds(seconds * math.Exp(rng.NormFloat64()/4))
		out = append(out, learn.Run{Job: learn.Job{User: user, Account: "a", Name: fmt.Sprint("train-", i), GPUType: typ, GPUs: 1, Limit: 48 * time.Hour}, Start: start, End: start.Add(d), Ran: d})
	}
	return out
}

// What is faster shows where the same jobs ran on several types, and only there.
func TestSpeeds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var runs []learn.Run
	for u, seconds := range []float64{600, 7200, 300, 40_000} {
		user := fmt.Sprint("u", u)
		runs = slices.Concat(runs, ran(rng, user, "k80", 20, 4*seconds), ran(rng, user, "v100", 20, seconds), ran(rng, user, "p100", 20, 2*seconds))
	}
	// One user's jobs, however many, and short jobs of others on a type say nothing.
	runs = slices.Concat(runs, ran(rng, "u0", "liar", 500, 1), ran(rng, "other", "t4", 500, 1))
	by := map[string]float64{}
	for _, s := range learn.CompareSpeeds(runs) {
		by[s.Type] = s.Speed
	}
	if len(by) != 3 || math.Abs(by["v100"]/by["k80"]-4) > .6 || math.Abs(by["p100"]/by["k80"]-2) > .3 {
		t.Errorf("speeds %v, want v100 : p100 : k80 = 4 : 2 : 1", by)
	}
	if got := learn.Fit(runs, 0).Speeds; len(got) != 3 {
		t.Errorf("a model knows %v", got)
	}
	slices.Reverse(runs)
	for _, s := range learn.CompareSpeeds(runs) {
		if s.Speed != by[s.Type] {
			t.Errorf("in another order %s is %g, not %g", s.Type, s.Speed, by[s.Type])
		}
	}
	if got := learn.CompareSpeeds(runs[:3]); got != nil {
		t.Errorf("of three runs it knows %v", got)
	}
}
