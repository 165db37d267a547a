package train

import (
	"context"
	"math"
	"strings"
	"testing"

	"fairbridge/lab/learner"
	"fairbridge/lab/learner/learnertest"
	"fairbridge/policy/paper/dl2"
	"fairbridge/scripts/verify/part"
)

// TestSoftmax: closed candidates have no chance, the others as their scores have it.
func TestSoftmax(t *testing.T) {
	p := softmax([]float64{1000, 1001, 5000}, []bool{true, true, false})
	if math.Abs(p[1]/p[0]-math.E) > 1e-9 || p[2] != 0 || math.Abs(p[0]+p[1]-1) > 1e-12 {
		t.Errorf("%v", p)
	}
}

// TestTrainingRepeats: the same settings give the same weights to the last digit, also where the training was cut off.
func TestTrainingRepeats(t *testing.T) {
	part.Only(t, "studies")
	v := learner.Values{"jobs": 30, "gpus": 16, "load": .7, "rounds": 3, "runs": 2, "imitation-runs": 2}
	learnertest.CheckRepeats(t, Learner(), v, 4, func(raw []byte) error { _, err := dl2.ReadWeights(raw); return err })
}

// TestForeignCheckpoint: a training goes on from none but one of the same settings.
func TestForeignCheckpoint(t *testing.T) {
	for _, c := range []learner.Checkpoint{{Policy: "dl2", Settings: "seed 2"}, {Policy: "other"}} {
		if _, err := Learner().Train(context.Background(), learner.Settings{Seed: 1, Source: Learner().DrawnSource(nil)}, &c, learner.Progress{}); err == nil || !strings.Contains(err.Error(), "the same settings") {
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
