package mlfrl

import (
	"math"
	"os"
	"testing"

	"fairbridge/lab/learner"
	"fairbridge/lab/learner/learnertest"
	"fairbridge/lab/train/evolve"
	policymlfrl "fairbridge/policy/paper/mlfrl"
	"fairbridge/policy/solve/network"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// TestTrainingRepeats: the same settings give the same weights to the last digit, also where the training was cut off.
func TestTrainingRepeats(t *testing.T) {
	part.Only(t, "studies")
	v := learner.Values{"jobs": 30, "gpus": 32, "load": 1, "rounds": 2, "pairs": 2, "runs": 1, "imitation-runs": 2}
	learnertest.CheckRepeats(t, Learner(), v, 3, func(raw []byte) error { _, err := policymlfrl.ReadWeights(raw); return err })
}

// TestImitates: after imitation pairs of jobs of a workload that it did not learn from stand in the order of the heuristic, all but one
// in seventeen.
func TestImitates(t *testing.T) {
	part.Only(t, "studies")
	l := Learner()
	v := l.Defaults()
	v["rounds"] = 0
	raw, err := l.Train(t.Context(), learner.Settings{Seed: 1, Values: v, Source: l.DrawnSource(v)}, nil, learner.Progress{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := policymlfrl.ReadWeights(raw)
	if err != nil {
		t.Fatal(err)
	}
	inputs, targets, err := newTask(l.DrawnSource(v)).Imitate([]int64{1})
	if err != nil {
		t.Fatal(err)
	}
	same, all := 0.0, 0.0
	for i := range inputs {
		k := (i*7919 + 1) % len(inputs)
		if targets[i] == targets[k] {
			continue
		}
		if all++; (w.Network.Forward(inputs[i]) > w.Network.Forward(inputs[k])) == (targets[i] > targets[k]) {
			same++
		}
	}
	if same/all < .94 {
		t.Errorf("%.3f of the pairs of another workload, want .94", same/all)
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
	raw, err := os.ReadFile("../../../policy/paper/mlfrl/weights.json")
	if err != nil {
		t.Fatal(err)
	}
	w, err := policymlfrl.ReadWeights(raw)
	if err != nil {
		t.Fatal(err)
	}
	l := Learner()
	d, err := evolve.NewTrainer(newTask(l.DrawnSource(l.Defaults())), evolve.NewSettings(learner.Settings{Seed: 1, Values: l.Defaults(), Source: l.DrawnSource(l.Defaults())}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range d.Describe() {
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
