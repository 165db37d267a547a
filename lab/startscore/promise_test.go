package startscore

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/lab/experiment"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/scripts/verify/part"
)

func TestScorePromises(t *testing.T) {
	s := ScorePromises([]Promise{{Chance: .1}, {Chance: .1, IsMet: true}, {Chance: .9, IsMet: true}, {Chance: 1, IsMet: true}, {Chance: .5}})
	if s.Count != 5 || math.Abs(s.Brier-(.01+.81+.01+.25)/5) > 1e-9 || s.Bins[0] != (PromiseBin{2, .1, .5}) || s.Bins[4].Count != 2 || s.Bins[4].MetShare != 1 {
		t.Errorf("%+v", s)
	}
	if g := s.WorstGap(2); math.Abs(g-.4) > 1e-9 || s.WorstGap(3) != 0 {
		t.Errorf("the worst gap is %v", g)
	}
}

// promisesOfDay are what jobs of the first hours of a drawn day on 16 GPUs, of 1.3 times what they have, are told when they are submitted, calibrated
// by what was known at the time.
func promisesOfDay(t *testing.T, policyName string, seed int64) []Promise {
	nodes, err := cluster.ParseSpec("2x8")
	if err != nil {
		t.Fatal(err)
	}
	s, err := experiment.GenerateScenario("day", generate.WorkloadOptions{OfferedLoad: 1.3, DayCount: .35}, seed, nodes)
	if err != nil {
		t.Fatal(err)
	}
	return promisesOf(t, s, policyName, seed)
}

// promisesOf are what the jobs of a scenario are told when they are submitted, each due after one to seven of its run times, most after few; ten minutes at
// the least.
func promisesOf(t *testing.T, s *study.Scenario, policyName string, seed int64) []Promise {
	t.Helper()
	choice, err := policyset.ParsePolicies(policyName, false)
	if err != nil {
		t.Fatal(err)
	}
	decide, err := choice[0].NewPolicy()
	if err != nil {
		t.Fatal(err)
	}
	looks, err := CollectLooks(s, decide, policyName, seed)
	if err != nil {
		t.Fatal(err)
	}
	due, r := map[policy.JobID]time.Duration{}, rand.New(rand.NewPCG(uint64(seed), 37))
	for i := range s.Jobs { // the simulated Slurm counts from 1
		j := &s.Jobs[i]
		due[policy.JobID(i+1)] = policy.DurationFromSeconds(max(600, j.Duration*(1+6*r.Float64()*r.Float64())))
	}
	Calibrate(looks)
	return CollectPromises(looks, func(l *Look) time.Time { return l.MadeAt.Add(due[l.Job]) })
}

// TestPromisesAreCalibrated: of the jobs that are told a chance, about that part is in time: within ten points in each fifth, on sites of a hundred
// jobs each that begin without history. Two of them are too few to say that of fifths.
func TestPromisesAreCalibrated(t *testing.T) {
	part.Only(t, "studies")
	last, mostGap := int64(60), .1 // what chances assume was chosen on seeds 10 to 29
	if !part.Runs("studies") {
		last, mostGap = 31, 1
	}
	var all []Promise
	for seed := int64(30); seed <= last; seed++ {
		one := promisesOfDay(t, "by-deadline", seed)
		s := ScorePromises(one)
		t.Logf("seed %d: %d promises, Brier %.3f, worst of fifths with 30 %.3f", seed, s.Count, s.Brier, s.WorstGap(30))
		all = append(all, one...)
	}
	s := ScorePromises(all)
	t.Logf("%+v", s)
	if gap := s.WorstGap(30); gap > mostGap || s.Brier > .2 {
		t.Errorf("chances are off by %.3f in a fifth, Brier %.3f", gap, s.Brier)
	}
}
