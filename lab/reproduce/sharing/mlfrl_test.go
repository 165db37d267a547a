package sharing

import (
	"maps"
	"slices"
	"testing"

	"fairbridge/lab/learner"
	"fairbridge/lab/train/evolve"
	"fairbridge/lab/train/mlfrl"
	"fairbridge/policy/paper"
)

// TestReproduceMLFRL: on workloads that it did not learn from the shipped network has less mean completion time than its teacher, MLF-H,
// and meets no fewer deadlines. The paper has 10 and 11 % less, which it has with more jobs than it learnt on only. How much the
// shortest first alone would have is told: what is learnt is near to that.
func TestReproduceMLFRL(t *testing.T) {
	cases := []struct {
		jobs  int
		load  float64
		seeds int64
		least float64
	}{{160, 1, 9, 1}, {160, 1.2, 9, 1.05}, {620, 1.1, 3, 1.1}}
	for _, c := range cases {
		figures := map[string][]float64{}
		for seed := int64(1); seed <= c.seeds; seed++ {
			w := mlfrl.Workload{JobCount: c.jobs, GPUs: 80, Load: c.load}
			run := func(name string, params paper.Params) evolve.Outcome {
				o, err := mlfrl.Run(w.Draw(seed), system(t, name, params))
				if err != nil {
					t.Fatal(err)
				}
				return o
			}
			network, teacher := run("mlf-rl", nil), run("mlf-rl", paper.Params{"by": "teacher"})
			over := func(name string, o evolve.Outcome) {
				figures[name] = append(figures[name], o.MeanSeconds/network.MeanSeconds)
			}
			over("teacher", teacher)
			over("multifactor", run("multifactor", nil))
			over("srtf", run("srtf", nil))
			figures["deadlines"] = append(figures["deadlines"], network.Met-teacher.Met)
		}
		for _, name := range slices.Sorted(maps.Keys(figures)) {
			m, lo, hi := spread(figures[name])
			t.Logf("%d jobs, load %g: %s %.3f (%.3f to %.3f)", c.jobs, c.load, name, m, lo, hi)
			if least := map[string]float64{"teacher": c.least}[name]; m < least {
				t.Errorf("%d jobs, load %g: %s %.3f, want at least %g", c.jobs, c.load, name, m, least)
			}
		}
	}
}

// TestReproduceMLFRLImitation: after imitation alone it is within 5 % of its teacher.
func TestReproduceMLFRLImitation(t *testing.T) {
	l := mlfrl.Learner()
	v := l.Defaults()
	v["rounds"] = 0
	settings := learner.Settings{Seed: 1, Values: v, Source: l.DrawnSource(v)}
	w, err := l.Train(t.Context(), settings, nil, learner.Progress{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.Evaluate(t.Context(), w, settings.Source, "", 1, 7)
	if err != nil {
		t.Fatal(err)
	}
	ratios := e.Comparisons[0].Ratios
	t.Logf("after imitation, over the teacher: %.3f", ratios)
	if m := median(ratios); m > 1.05 || m < .95 {
		t.Errorf("after imitation it has %.3f of its teacher's mean completion time, want .95 to 1.05", m)
	}
}
