package shadow

import (
	"math"
	"testing"
	"time"

	"fairbridge/bridge/harm"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
)

// TestMeasureByHand works out figures at 5100 s, when one job has not started: it counts with its
// wait so far, in the simulation likewise.
func TestMeasureByHand(t *testing.T) {
	node := policy.Node{Name: "n1", GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}
	site := &replay.PastScenario{
		Scenario: &study.Scenario{Nodes: []policy.Node{node}}, Since: monday, Until: monday.Add(5100 * time.Second), RealRun: handMadeRuns(3000, 8000, 1000, 0),
		ArrivedWithinPeriod: map[int64]bool{1: true, 2: true, 3: true}, OwnStopCount: 2,
	}
	alone := []*measure.Run{handMadeRuns(1000, 9000, 1000, 0), handMadeRuns(1000, 2000, 1000, 0)}
	then := []*measure.Run{handMadeRuns(3000, 8000, 1300, 0), handMadeRuns(3000, 8000, 1300, 0)}
	m := newMeasurement(site, alone, then)
	if m.JobCount != 3 || m.StopCount != 2 || m.SeedCount != 2 {
		t.Errorf("%+v", m)
	}
	find := func(k harm.Kind, account string) harm.Figure {
		for _, f := range m.Figures {
			if f.Kind == k && f.Account == account && f.Size == "" {
				return f
			}
		}
		t.Fatalf("no figure %s of %q", k, account)
		return harm.Figure{}
	}
	for _, c := range []struct {
		f              harm.Figure
		live, alone, e float64
	}{
		{find(harm.Wait, ""), 9000. / 3, (7000 + 4000) / 6., 100}, // 3000, 5000 so far, 1000; alone 1000, 5000 so far or 2000, 1000
		{find(harm.Wait, "a"), 4000, (6000 + 3000) / 4., 0},
		{find(harm.Wait, "b"), 1000, 1000, 300},
		{find(harm.Slowdown, "a"), 5, (4 + 2.5) / 2, 0}, // each runs for 1000 s
	} {
		if math.Abs(c.f.Live-c.live)+math.Abs(c.f.Alone-c.alone)+math.Abs(c.f.OwnError-c.e) > 1e-6 || c.f.Doubt() < math.Abs(c.e) {
			t.Errorf("%+v, want live %g, alone %g, own error %g", c.f, c.live, c.alone, c.e)
		}
	}
}

// TestHarmIsSeenAsFarAsTheSimulationIsTrue: jobs waited for 50 minutes that would have waited for ten
// with Slurm alone. It is harm where the simulation of what was done comes to 49 minutes, and
// nobody can tell where it comes to 20.
func TestHarmIsSeenAsFarAsTheSimulationIsTrue(t *testing.T) {
	run := func(wait float64) *measure.Run {
		r := &measure.Run{MakespanSeconds: 1, ClusterGPUs: 8}
		for id := range int64(40) {
			r.JobOutcomes = append(r.JobOutcomes, outcome(id+1, []string{"a", "b"}[id%2], 1, wait))
		}
		return r
	}
	node := policy.Node{Name: "n1", GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}
	site := &replay.PastScenario{
		Scenario: &study.Scenario{Nodes: []policy.Node{node}}, Since: monday, Until: monday.Add(10 * time.Hour), RealRun: run(3000), ArrivedWithinPeriod: map[int64]bool{},
	}
	for id := range int64(40) {
		site.ArrivedWithinPeriod[id+1] = true
	}
	var alone []*measure.Run
	for range 10 {
		alone = append(alone, run(590), run(610))
	}
	for minutes, want := range map[float64]harm.Claim{49: harm.Harm, 20: harm.CannotTell} {
		m := newMeasurement(site, alone, []*measure.Run{run(60 * minutes), run(60 * minutes)})
		if c := harm.JudgeMeasurement("gpu", monday, m, harm.DefaultBounds()); c.Verdict != want {
			t.Errorf("simulated %g minutes: %s, want %s", minutes, c.Summarize(), want)
		}
	}
}

// TestIdleByHand: eight GPUs, of which one stood idle for 1000 s, in which a job waited for 500 s.
func TestIdleByHand(t *testing.T) {
	r := &measure.Run{ClusterGPUs: 8, JobOutcomes: []measure.JobOutcome{
		{GPUCount: 7, Arrive: 0, Start: 0, HeldSeconds: 1000}, {GPUCount: 8, Arrive: 500, Start: 1000, HeldSeconds: 1000},
	}}
	for end, want := range map[float64]float64{400: 0, 1000: 100 * 500 / 8000., 2000: 100 * 500 / 16000.} {
		if got := idlePercent(r, end); math.Abs(got-want) > 1e-9 {
			t.Errorf("until %g: %g %%, want %g", end, got, want)
		}
	}
}

// TestNothingLive: there is nothing to compare where Slurm alone decided.
func TestNothingLive(t *testing.T) {
	if _, err := MeasureLive(t.Context(), &replay.PastScenario{Decider: policyset.SlurmAlone()}, Options{}); err != ErrNothingLive {
		t.Error(err)
	}
}
