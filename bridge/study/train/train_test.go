package train

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"fairbridge/policy/paper/dl2"
)

// TestGradient compares slopes with differences.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	n := newNetwork(r, 4, 5, 3, 1)
	a, x := newLearner(&n), []float64{.3, -1, 2, .1}
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
				if got, want := a.gradient.Layers[k].Weights[o][i], 2*(up-down)/(2*d); math.Abs(got-want) > 1e-6 {
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

func quick() Settings {
	s := DefaultSettings()
	s.Workload, s.ImitationRuns, s.Rounds, s.RunsPerRound = Workload{JobCount: 30, GPUs: 16, Load: .7}, 2, 2, 2
	return s
}

// TestTrainingRepeats: the same settings give the same weights, other seeds others.
func TestTrainingRepeats(t *testing.T) {
	train := func(seed int64) string {
		s := quick()
		s.Seed = seed
		told := 0
		s.ReportProgress = func(string) { told++ }
		w, err := Train(context.Background(), s)
		if err != nil || told != s.ImitationTurns+s.Rounds {
			t.Fatal(err, told)
		}
		raw, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
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
}

func TestStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Train(ctx, quick()); err == nil {
		t.Error("went on")
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
