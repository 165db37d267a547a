package symphonynet

import (
	"os"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/learner"
	"fairbridge/lab/learner/learnertest"
	"fairbridge/policy"
	policynet "fairbridge/policy/paper/symphonynet"
	"fairbridge/policy/solve/network"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// small are the numbers of a small training.
var small = learner.Values{"jobs": 40, "gpus": 8, "load": 1.5, "rounds": 3, "turns": 1}

// TestTrainingRepeats: the same settings give the same weights to the last digit, also where the training was cut off.
func TestTrainingRepeats(t *testing.T) {
	part.Only(t, "studies")
	learnertest.CheckRepeats(t, Learner(), small, 3, func(raw []byte) error { _, err := policynet.ReadWeights(raw); return err })
	if err := newTrainer(Settings{}).resume([]byte("{}")); err == nil {
		t.Error("went on from nothing")
	}
}

// TestLearns: after a few days the network errs less than the filter on a day that it did not learn from.
func TestLearns(t *testing.T) {
	part.Only(t, "studies")
	l := Learner()
	v := learner.Values{"jobs": 200, "gpus": 32, "load": 1.6, "rounds": 5, "turns": 4}
	source := l.DrawnSource(v)
	raw, err := l.Train(t.Context(), learner.Settings{Seed: 1, Values: v, Source: source}, nil, learner.Progress{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.Evaluate(t.Context(), raw, source, "", 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Errors) != 2 || e.Errors[0] >= 1 || e.Errors[1] >= 1 || e.ErrorTitle == "" {
		t.Errorf("errors %v of the filter's", e.Errors)
	}
}

// TestSilent: weights that nothing was learnt of correct nothing.
func TestSilent(t *testing.T) {
	n := silent(&newTrainer(Settings{Seed: 1}).net)
	e, err := MeasureErrors(Workload{JobCount: 40, GPUs: 8, Load: 1.5}.Draw(1), 1, "symphony", &n, nil)
	if err != nil || e.Count == 0 || e.Filter != e.Network || e.Readings <= e.Filter {
		t.Errorf("%v: %+v", err, e)
	}
}

// TestTrace: jobs of a trace get a use of their GPUs, the same for those of one user and name, but for those that have one; the trace
// itself stays as it is.
func TestTrace(t *testing.T) {
	own := &policy.Sharing{Utilisation: policy.KnownValue(.42)}
	c := exact.Config{Jobs: []workload.Job{{ID: 1, User: "u", Name: "a"}, {ID: 2, User: "u", Name: "a"}, {ID: 3, User: "v", Name: "a", Sharing: own}},
		Nodes: []policy.Node{{Name: "n", GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}}}}
	nodes := c.Nodes
	forTrace(&c, 3)
	if a, b := c.Jobs[0].Sharing, c.Jobs[1].Sharing; !a.Utilisation.Known || a.Utilisation != b.Utilisation || c.Jobs[2].Sharing != own || !c.Jobs[0].IsShareable || c.Interference == nil {
		t.Errorf("%+v", c.Jobs)
	}
	if c.Nodes[0].GPUs[0].MemMB != gpuMemMB || nodes[0].GPUs[0].MemMB != 0 {
		t.Errorf("%+v of %+v", c.Nodes, nodes)
	}
}

// TestShippedWeights: those that are built in say the settings that the command has by default.
func TestShippedWeights(t *testing.T) {
	raw, err := os.ReadFile("../../../policy/paper/symphonynet/weights.json")
	if err != nil {
		t.Fatal(err)
	}
	w, err := policynet.ReadWeights(raw)
	if err != nil {
		t.Fatal(err)
	}
	l := Learner()
	s := Settings{Seed: 1, Source: l.DrawnSource(l.Defaults()), Rounds: int(l.Defaults()["rounds"]), Turns: int(l.Defaults()["turns"])}
	for name, want := range s.describe() {
		if w.Training[name] != want {
			t.Errorf("%s is %q, by default it is %q", name, w.Training[name], want)
		}
	}
	if again, err := w.Encode(); err != nil || network.ShortHash(again) != network.ShortHash(raw) {
		t.Error("written again they are others", err)
	}
}
