package mlfrl

import (
	"math"
	"os"
	"testing"

	"fairbridge/bridge/study/learner"
	"fairbridge/bridge/study/learner/learnertest"
	"fairbridge/bridge/study/workload"
	policymlfrl "fairbridge/policy/paper/mlfrl"
	"fairbridge/policy/solve/network"
)

// TestTrainingRepeats: the same settings give the same weights to the last digit, also where the training was cut off.
func TestTrainingRepeats(t *testing.T) {
	v := learner.Values{"jobs": 30, "gpus": 32, "load": 1, "rounds": 2, "pairs": 2, "runs": 1, "imitation-runs": 2}
	learnertest.CheckRepeats(t, Learner(), v, 3, func(raw []byte) error { _, err := policymlfrl.ReadWeights(raw); return err })
	if err := newTrainer(Settings{}).resume([]byte("{}")); err == nil {
		t.Error("went on from nothing")
	}
}

// defaults are the settings that the shipped weights were trained with.
func defaults() Settings {
	l := Learner()
	return newSettings(learner.Settings{Seed: 1, Values: l.Defaults(), Source: l.DrawnSource(l.Defaults())})
}

// TestImitates: after imitation pairs of jobs of a workload that it did not learn from stand in the order of the heuristic, all but one
// in seventeen.
func TestImitates(t *testing.T) {
	tr := newTrainer(defaults())
	if _, err := tr.imitate(); err != nil {
		t.Fatal(err)
	}
	rec := &recorder{every: 7}
	if _, err := simulate(tr.Source, 1, rec); err != nil {
		t.Fatal(err)
	}
	if got := tr.agreement(rec); got < .94 {
		t.Errorf("%.3f of the pairs of another workload, want .94", got)
	}
}

// TestTraceGoals: jobs of a trace get deadlines, but for those that have one.
func TestTraceGoals(t *testing.T) {
	jobs := []workload.Job{{ID: 1, Arrive: 100, Duration: 3600}, {ID: 2, Duration: 60, Deadline: 500}}
	giveTraceGoals(jobs, 3)
	if jobs[0].Deadline < 100+1.1*3600 || jobs[0].Loss == nil || jobs[1].Deadline != 500 || jobs[1].Loss != nil {
		t.Errorf("%+v", jobs)
	}
}

// TestShippedWeights: those that are built in say the settings that the command has by default.
func TestShippedWeights(t *testing.T) {
	raw, err := os.ReadFile("../../../../policy/paper/mlfrl/weights.json")
	if err != nil {
		t.Fatal(err)
	}
	w, err := policymlfrl.ReadWeights(raw)
	if err != nil {
		t.Fatal(err)
	}
	d := defaults()
	for name, want := range d.describe() {
		if w.Training[name] != want {
			t.Errorf("%s is %q, by default it is %q", name, w.Training[name], want)
		}
	}
	again, err := w.Encode()
	if err != nil || network.ShortHash(again) != network.ShortHash(raw) {
		t.Error("written again they are others", err)
	}
	if math.IsNaN(w.Network.Forward(make([]float64, len(w.Features)))) {
		t.Error("they score no number")
	}
}
