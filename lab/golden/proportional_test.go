package golden

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"fairbridge/replica/measure"
)

// TestProportional wants Shockwave's published figures of proportional sharing
// (there called gandiva_fair), to the last printed digit.
func TestProportional(t *testing.T) {
	for _, c := range []struct {
		setting
		source string
		want   string
	}{
		{small, "published", "makespan 32367.434 avg 12574.272 rho 1.85361 mean 1.016911 present 2.15705 unfair 0.51667 util 0.61049 rounds 270"},
		{medium, "rerun", "makespan 31472.088 avg 10895.259 rho 1.77768 mean 0.953684 present 2.29043 unfair 0.4 util 0.65698 rounds 263"},
	} {
		t.Run(fmt.Sprint(c.jobs), func(t *testing.T) { c.digits(t, "proportional", c.source, "gandiva_fair", c.want) })
	}
}

// digits wants the figures of a policy and of every job as published, to the
// last printed digit.
func (s setting) digits(t *testing.T, name, source, published, want string) {
	t.Helper()
	run := s.simulate(t, lookup(t, name, nil))
	m := run.Summarize()
	got := fmt.Sprintf("makespan %v avg %v rho %v mean %v present %v unfair %v util %v rounds %d", round(m.Makespan, 3), round(m.AvgJCT, 3), m.WorstRho,
		round(m.MeanRho, 6), slices.Max(run.RhosByJobsPresent()), round(m.UnfairShare, 5), round(m.Utilization, 5), len(run.DecideSeconds))
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	compareJobs(t, run, s.perJob(t, source, published))
}

// compareJobs wants every job's completion time and ρ as published.
func compareJobs(t *testing.T, run *measure.Run, want published) {
	t.Helper()
	jct, rho := run.JCTs(), run.Rhos()
	if len(jct) != len(want.JCT) {
		t.Fatalf("%d jobs, published are %d", len(jct), len(want.JCT))
	}
	for i := range jct {
		if round(jct[i], 3) != want.JCT[i] || rho[i] != want.Rho[i] {
			t.Errorf("job %d: JCT %.3f, ρ %v; published %v, %v", i, jct[i], rho[i], want.JCT[i], want.Rho[i])
		}
	}
}

func round(x float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(x*p) / p
}
