package learned

import (
	"context"
	"testing"

	"fairbridge/lab/learner"
	"fairbridge/lab/train"
	"fairbridge/policy/paper"
)

// TestReproduceDL2: on workloads like Pollux' that it did not learn from, of twice the size, the
// network of the shipped weights has nine tenths of the mean completion time of equal shares (dominant
// resource fairness of one resource) at most, and is no worse than its teacher. Optimus is only told.
func TestReproduceDL2(t *testing.T) {
	var ratios, ofTeacher, ofOptimus []float64
	for seed := int64(1); seed <= 7; seed++ {
		jct := func(by string) float64 {
			c := train.Workload{JobCount: 160, GPUs: 64, Load: .7}.Draw(seed)
			if c.Policy = system(t, "optimus", nil); by != "optimus" {
				c.Policy = system(t, "dl2", paper.Params{"by": by})
			}
			return simulate(t, c).Summarize().AvgJCT
		}
		network := jct("network")
		ratios, ofTeacher, ofOptimus = append(ratios, network/jct("equal")), append(ofTeacher, network/jct("teacher")), append(ofOptimus, network/jct("optimus"))
	}
	t.Logf("the network's mean completion time over that of equal shares: %.3f, median %.3f", ratios, median(ratios))
	t.Logf("over its teacher's: %.3f, median %.3f; over Optimus' %.3f, median %.3f", ofTeacher, median(ofTeacher), ofOptimus, median(ofOptimus))
	if m := median(ratios); m > .9 {
		t.Errorf("the network has %.3f of the mean completion time of equal shares, want at most .9", m)
	}
	if m := median(ofTeacher); m > 1 {
		t.Errorf("the network has %.3f of its teacher's mean completion time, want at most 1", m)
	}
}

// TestReproduceDL2Imitation: after imitation alone it is within 5 % of its teacher.
func TestReproduceDL2Imitation(t *testing.T) {
	l := train.Learner()
	v := l.Defaults()
	v["rounds"] = 0
	settings := learner.Settings{Seed: 1, Values: v, Source: l.DrawnSource(v)}
	w, err := l.Train(context.Background(), settings, nil, learner.Progress{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.Evaluate(context.Background(), w, settings.Source, "", 1, 7)
	if err != nil {
		t.Fatal(err)
	}
	ratios := e.Comparisons[0].Ratios
	t.Logf("after imitation, over the teacher: %.3f", ratios)
	if m := median(ratios); m > 1.05 || m < .95 {
		t.Errorf("after imitation it has %.3f of its teacher's mean completion time, want .95 to 1.05", m)
	}
}
