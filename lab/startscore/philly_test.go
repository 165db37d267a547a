package startscore

import (
	"flag"
	"os"
	"testing"

	"fairbridge/lab/experiment"
	"fairbridge/lab/trace"
	"fairbridge/replica/cluster"
	"fairbridge/replica/study"
	"fairbridge/scripts/verify/part"
)

// phillyTrace is Microsoft's Philly as a table.
const phillyTrace = "../../../shared/traces/philly/philly_jobs_82k.csv"

// readPhilly reads the jobs that fit 64 GPUs; without the trace the test is left out.
func readPhilly(t *testing.T) *study.Scenario {
	t.Helper()
	if _, err := os.Stat(phillyTrace); err != nil {
		t.Skip("the published traces are not here:", err)
	}
	nodes, err := cluster.ParseSpec("8x8")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := experiment.LoadScenario(experiment.ScenarioSource{TracePath: phillyTrace, TraceOptions: trace.ReadOptions{SkipBad: true}, Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// TestPromisesOnPhilly is TestPromisesAreCalibrated on windows of 600 jobs of a real trace, which tells no names and no time limits. Chances are of use there (a quarter
// is the score of always saying one half, a fifth was wanted), and later deadlines are met more often, but fifths are off by more than ten points, up to 23, as such
// windows begin with promises about run times of which nothing is known: the page of figures has six windows.
func TestPromisesOnPhilly(t *testing.T) {
	part.Only(t, "studies")
	seeds := int64(2)
	if !part.Runs("studies") {
		seeds = 1
	}
	whole := readPhilly(t)
	for _, load := range []float64{.8, 1} {
		var all []Promise
		for seed := int64(1); seed <= seeds; seed++ {
			all = append(all, promisesOf(t, window(t, whole, 600, seed, load), "by-deadline", seed)...)
		}
		s := ScorePromises(all)
		t.Logf("load %v: %+v", load, s)
		if s.Brier > .2 || s.Count < 100 || s.Bins[4].MetShare < s.Bins[2].MetShare || s.Bins[3].MetShare < s.Bins[1].MetShare {
			t.Errorf("load %v: Brier %.3f of %d promises, met by fifths of what was told %+v", load, s.Brier, s.Count, s.Bins)
		}
	}
}

// window is so many jobs of a trace, at a load.
func window(t *testing.T, whole *study.Scenario, jobs int, seed int64, load float64) *study.Scenario {
	t.Helper()
	w, err := whole.TakeWindow(jobs, seed)
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.ScaleToLoad(load)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Long windows take minutes each.
var (
	longWindows   = flag.Int64("long-windows", 0, "on how many long windows of Philly promises are scored")
	longFirst     = flag.Int64("long-first", 21, "the seed of the first of them")
	longJobs      = flag.Int("long-jobs", 1800, "jobs of each of them")
	longLoad      = flag.Float64("long-load", .7, "GPU time they ask for, as a part of what there is")
	longUnscored  = flag.Int("long-unscored", 300, "promises of each that are only learnt from, the first")
	longMostWrong = flag.Float64("long-most-wrong", .1, "by how much a fifth may be off")
)

// TestPromisesWithARecord scores those of a site that has seen some of its own: -long-windows 8 takes five minutes.
func TestPromisesWithARecord(t *testing.T) {
	if *longWindows == 0 {
		t.Skip("long windows take minutes each: -long-windows 8")
	}
	whole := readPhilly(t)
	var all []Promise
	for seed := *longFirst; seed < *longFirst+*longWindows; seed++ {
		one := promisesOf(t, window(t, whole, *longJobs, seed, *longLoad), "by-deadline", seed)
		one = one[min(*longUnscored, len(one)):]
		t.Logf("seed %d: %+v", seed, ScorePromises(one))
		all = append(all, one...)
	}
	s := ScorePromises(all)
	t.Logf("%+v", s)
	if gap := s.WorstGap(30); gap > *longMostWrong {
		t.Errorf("chances are off by %.3f in a fifth", gap)
	}
}
