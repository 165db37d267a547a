package harmonyrl

import (
	"os"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/learner"
	"fairbridge/lab/learner/learnertest"
	"fairbridge/lab/train/evolve"
	policyrl "fairbridge/policy/paper/harmonyrl"
	"fairbridge/policy/solve/network"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// TestTrainingRepeats: the same settings give the same weights to the last digit, also where the training was cut off.
func TestTrainingRepeats(t *testing.T) {
	part.Only(t, "studies")
	v := learner.Values{"jobs": 60, "gpus": 24, "load": .8, "rounds": 2, "pairs": 2, "runs": 1, "imitation-runs": 2}
	learnertest.CheckRepeats(t, Learner(), v, 3, func(raw []byte) error { _, err := policyrl.ReadWeights(raw); return err })
}

// TestTrace: jobs of a trace without a class get one by their user and name.
func TestTrace(t *testing.T) {
	c := exact.Config{Jobs: []workload.Job{{ID: 1, User: "u", Name: "a"}, {ID: 2, User: "u", Name: "a"}, {ID: 3, Class: "own"}}}
	forTrace(&c, 3)
	if c.Jobs[0].Class == "" || c.Jobs[0].Class != c.Jobs[1].Class || c.Jobs[2].Class != "own" || c.NodeInterference == nil {
		t.Errorf("%+v", c.Jobs)
	}
}

// TestShippedWeights: those that are built in say the settings that the command has by default.
func TestShippedWeights(t *testing.T) {
	raw, err := os.ReadFile("../../../policy/paper/harmonyrl/weights.json")
	if err != nil {
		t.Fatal(err)
	}
	w, err := policyrl.ReadWeights(raw)
	if err != nil {
		t.Fatal(err)
	}
	l := Learner()
	source := l.DrawnSource(l.Defaults())
	d, err := evolve.NewTrainer(newTask(source), evolve.NewSettings(learner.Settings{Seed: 1, Values: l.Defaults(), Source: source}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range d.Describe() {
		if w.Training[name] != want {
			t.Errorf("%s is %q, by default it is %q", name, w.Training[name], want)
		}
	}
	if again, err := w.Encode(); err != nil || network.ShortHash(again) != network.ShortHash(raw) {
		t.Error("written again they are others", err)
	}
}
