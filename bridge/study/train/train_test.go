package train

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"fairbridge/bridge/study/learner"
	"fairbridge/policy/paper/dl2"
)

// TestGradient compares slopes with differences.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	n := newNetwork(r, 4, 5, 3, 1)
	a, x := newAdam(&n), []float64{.3, -1, 2, .1}
	a.add(x, 2)
	for k := range n.Layers {
		for o := range n.Layers[k].Weights {
			for i := range n.Layers[k].Weights[o] {
				const d = 1e-6
				w := &n.Layers[k].Weights[o][i]
				*w += d
				up := n.Forward(x)
				*w -= 2 * d
				down := n.Forward(x)
				*w += d
				if got, want := a.Gradient.Layers[k].Weights[o][i], 2*(up-down)/(2*d); math.Abs(got-want) > 1e-6 {
					t.Fatalf("layer %d, %d from %d: %g, want %g", k, o, i, got, want)
				}
			}
		}
	}
}

// TestSoftmax: closed candidates have no chance, the others as their scores have it.
func TestSoftmax(t *testing.T) {
	p := softmax([]float64{1000, 1001, 5000}, []bool{true, true, false})
	if math.Abs(p[1]/p[0]-math.E) > 1e-9 || p[2] != 0 || math.Abs(p[0]+p[1]-1) > 1e-12 {
		t.Errorf("%v", p)
	}
}

// quick are settings of a small training.
func quick(seed int64) learner.Settings {
	v := learner.Values{"jobs": 30, "gpus": 16, "load": .7, "rounds": 3, "runs": 2, "imitation-runs": 2}
	return learner.Settings{Seed: seed, Values: v, Source: Learner().DrawnSource(v)}
}

// TestTrainingRepeats: the same settings give the same weights to the last digit, also where the training was cut off after each
// of its steps and went on from the checkpoint; other seeds give others.
func TestTrainingRepeats(t *testing.T) {
	train := func(seed int64) string {
		told := 0
		raw, err := Learner().Train(context.Background(), quick(seed), nil, learner.Progress{Report: func(string) { told++ }})
		if err != nil || told != 4 {
			t.Fatal(err, told)
		}
		if _, err := dl2.ReadWeights(raw); err != nil {
			t.Error(err)
		}
		return string(raw)
	}
	one := train(1)
	if one != train(1) {
		t.Error("the same settings gave other weights")
	}
	if one == train(2) {
		t.Error("another seed gave the same weights")
	}
	var from *learner.Checkpoint
	for cuts := 0; ; cuts++ {
		ctx, cut := context.WithCancel(context.Background())
		raw, err := Learner().Train(ctx, quick(1), from, learner.Progress{Keep: func(c *learner.Checkpoint) error {
			cut()
			text, err := json.Marshal(c)
			from = new(learner.Checkpoint)
			return errors.Join(err, json.Unmarshal(text, from))
		}})
		if cut(); err == nil {
			if string(raw) != one || cuts != 3 {
				t.Errorf("cut off %d times, it gave other weights", cuts)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// TestForeignCheckpoint: a training goes on from none but one of the same settings.
func TestForeignCheckpoint(t *testing.T) {
	for _, c := range []learner.Checkpoint{{Policy: "dl2", Settings: "seed 2"}, {Policy: "other"}} {
		if _, err := Learner().Train(context.Background(), quick(1), &c, learner.Progress{}); err == nil || !strings.Contains(err.Error(), "the same settings") {
			t.Errorf("went on from %+v: %v", c, err)
		}
	}
	if err := newTrainer(Settings{}).resume([]byte("{}")); err == nil {
		t.Error("went on from nothing")
	}
}

// TestReturns: a decision is judged by the jobs that are present after it, the later the less.
func TestReturns(t *testing.T) {
	o := rollout{moments: []moment{{seconds: 0, jobs: 2}, {seconds: 1200, jobs: 1}, {seconds: 2400}}}
	g := o.returns()
	if later := -1. / 3; math.Abs(g[1]-later) > 1e-12 || math.Abs(g[0]-(-2./3+math.Exp(-1)*later)) > 1e-12 || g[2] != 0 {
		t.Errorf("%v", g)
	}
	if o.momentAt(1) != 1 || o.momentAt(1200) != 1 || o.momentAt(9999) != 2 {
		t.Error("moments are not found")
	}
}
