package evolve

import (
	"math"
	"testing"

	"fairbridge/policy/solve/network"
)

// plain is a task without simulations: of two inputs the teacher scores by the first, and what pays is a score near the second.
func plain() Task {
	points := [][]float64{{.5, -.2}, {-.3, .4}, {.1, .9}, {-.8, -.6}, {.7, .3}, {-.5, .1}}
	return Task{Features: []string{"a", "b"}, Version: 1, Teacher: "the first",
		Imitate: func([]int64) (inputs [][]float64, targets []float64, err error) {
			for range 50 {
				for _, p := range points {
					inputs, targets = append(inputs, p), append(targets, p[0])
				}
			}
			return inputs, targets, nil
		},
		Simulate: func(_ int64, n *network.Network) (Outcome, error) {
			off := 1.0
			for _, p := range points {
				score := p[0]
				if n != nil {
					score = n.Forward(p)
				}
				off += (score - p[1]) * (score - p[1])
			}
			return Outcome{MeanSeconds: off}, nil
		},
		Reward: func(o, teacher Outcome) float64 { return teacher.MeanSeconds / o.MeanSeconds },
	}
}

// TestImproves: it begins as its teacher does, and then does better by what pays.
func TestImproves(t *testing.T) {
	tr, err := NewTrainer(plain(), Settings{Seed: 1, ImitationRuns: 1, Rounds: 60, Pairs: 8, RunsPerChange: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, done, err := tr.Step(); err != nil || done || math.Abs(tr.Most-1) > .05 {
		t.Fatalf("%v, after imitation a reward of %.3f, want the teacher's", err, tr.Most)
	}
	for done := false; !done; {
		if _, done, err = tr.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if tr.Most < 1.3 {
		t.Errorf("after improvement a reward of %.3f, the teacher has 1", tr.Most)
	}
}

// TestNothingToImitate: a teacher that had nothing to choose, and what is no state, are errors.
func TestNothingToImitate(t *testing.T) {
	task := plain()
	task.Imitate = func([]int64) (inputs [][]float64, targets []float64, err error) { return nil, nil, nil }
	tr, err := NewTrainer(task, Settings{ImitationRuns: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := tr.Step(); err == nil {
		t.Error("imitated nothing")
	}
	for _, from := range []string{"{}", "x"} {
		if _, err := NewTrainer(task, Settings{}, []byte(from)); err == nil {
			t.Errorf("went on from %s", from)
		}
	}
}
