package dl2_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper/dl2"
	"fairbridge/policy/solve/network"
)

// scoreBy is a network that scores by one feature, times a weight, and lets nothing end before.
func scoreBy(feature string, weight float64) *network.Network {
	row := make([]float64, len(dl2.FeatureNames()))
	for i, name := range dl2.FeatureNames() {
		if name == feature {
			row[i] = weight
		}
		if name == "end" {
			row[i] = -100
		}
	}
	return &network.Network{Layers: []network.Layer{{Weights: [][]float64{row}, Bias: []float64{0}}}}
}

// jobs on a node of so many GPUs: each waits, takes 1 to 4 GPUs and has so many hours left.
func snapshot(gpus int, hours ...float64) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
	for i, h := range hours {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "gpu", State: policy.Pending, Arrive: policytest.SnapshotTime.Add(-time.Hour),
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 2}}, MinGPUs: 1, MaxGPUs: 4, PredictedLeft: time.Duration(h * float64(time.Hour))})
	}
	return s
}

func decide(t interface{ Fatal(...any) }, p policy.Policy, s *policy.Snapshot) (sizes []int, plan *policy.Plan) {
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	for _, d := range plan.Decisions {
		sizes = append(sizes, d.On.Count())
	}
	return sizes, plan
}

func trainee(t interface{ Fatal(...any) }, c dl2.Chooser) policy.Policy {
	p, err := dl2.NewTrainee(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMicro: by the time left, the less the better, the job with least has all until it can use
// no more, then the next; in whatever order jobs stand. Every job has one before.
func TestMicro(t *testing.T) {
	p := trainee(t, dl2.NewScores(scoreBy("left", -1)))
	for _, c := range []struct {
		gpus  int
		hours []float64
		want  []int
	}{{8, []float64{3, 1, 2}, []int{1, 4, 3}}, {8, []float64{1, 2, 3}, []int{4, 3, 1}}, {14, []float64{3, 1, 2}, []int{4, 4, 4}}, {2, []float64{3, 2, 1}, []int{1, 1, 0}}} {
		got, plan := decide(t, p, snapshot(c.gpus, c.hours...))
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%v hours left on %d GPUs: %v, want %v: %+v", c.hours, c.gpus, got, c.want, plan.Decisions)
				break
			}
		}
	}
}

// TestEnd: a network that would rather end leaves every job at its least.
func TestEnd(t *testing.T) {
	n := scoreBy("left", -1)
	n.Layers[0].Weights[0][0] = 1
	if got, _ := decide(t, trainee(t, dl2.NewScores(n)), snapshot(8, 1, 2)); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v, want 1 and 1", got)
	}
}

// TestNoNumber: a score that is no number leaves the round to the teacher, and its owners know.
func TestNoNumber(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		got, plan := decide(t, trainee(t, dl2.NewScores(scoreBy("left", bad))), snapshot(8, 3, 1, 2))
		if got[0] != 1 || got[1] != 4 || got[2] != 3 || !strings.Contains(plan.Decisions[0].Why, "a score of the network is no number") {
			t.Errorf("%v, want the shortest first: %s", got, plan.Decisions[0].Why)
		}
	}
}

// wild chooses what it may not.
type wild struct{}

// Choose implements dl2.Chooser.
func (wild) Choose(c *dl2.Choice) int { return len(c.Open) + 3 }

// watcher sees that candidates that closed stay closed, and are offered only what they can use.
type watcher struct {
	dl2.EqualShares
	fail func(string, ...any)
	was  []bool
}

// Choose implements dl2.Chooser.
func (w *watcher) Choose(c *dl2.Choice) int {
	for i, open := range c.Open {
		if len(w.was) == len(c.Open) && open && !w.was[i] {
			w.fail("candidate %d opened again", i)
		}
		if open && i < len(c.Open)-1 && c.Devices[i] >= 4 {
			w.fail("candidate %d has all it can use", i)
		}
	}
	w.was = append([]bool(nil), c.Open...)
	return w.EqualShares.Choose(c)
}

// TestWhateverIsChosen: whoever chooses, plans are lawful, and every job runs while there is a
// GPU for each.
func TestWhateverIsChosen(t *testing.T) {
	if got, _ := decide(t, trainee(t, wild{}), snapshot(8, 1, 2)); got[0] != 4 || got[1] != 4 {
		t.Errorf("%v, want the teacher's", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		gpus := rapid.IntRange(1, 12).Draw(t, "gpus")
		hours := rapid.SliceOfN(rapid.Float64Range(.1, 50), 1, 8).Draw(t, "hours")
		n := scoreBy("left", rapid.Float64Range(-3, 3).Draw(t, "left"))
		for i := range n.Layers[0].Weights[0] {
			n.Layers[0].Weights[0][i] += rapid.Float64Range(-3, 3).Draw(t, "weight")
		}
		for _, c := range []dl2.Chooser{dl2.NewScores(n), &watcher{fail: t.Fatalf}} {
			got, _ := decide(t, trainee(t, c), snapshot(gpus, hours...))
			running := 0
			for _, size := range got {
				if size > 0 {
					running++
				}
			}
			if running < min(gpus, len(hours)) {
				t.Fatalf("%v: %d of %d jobs run on %d GPUs", got, running, len(hours), gpus)
			}
		}
	})
}

// TestGivesUpLittle: in one round no more than a part of all GPUs changes hands.
func TestGivesUpLittle(t *testing.T) {
	s := snapshot(8, 30, 1, 1)
	s.Jobs[0].MaxGPUs, s.Jobs[0].State, s.Jobs[0].Start, s.Jobs[0].On = 8, policy.Running, policytest.SnapshotTime.Add(-time.Hour), policy.Alloc{{Node: "n1", Type: "g", Count: 6}}
	for part, want := range map[float64]int{.1: 6, .5: 6, 1: 3} {
		p, err := dl2.System().New(map[string]any{"by": "equal", "max_change": part})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := decide(t, p, s); got[0] != want {
			t.Errorf("of %g: %v, want %d for the job that runs", part, got, want)
		}
	}
}

// TestDiffersLittle: a network that would give more GPUs otherwise than its teacher than it may leaves the round to it, and owners know.
func TestDiffersLittle(t *testing.T) {
	longest := dl2.NewScores(scoreBy("left", 1))
	for part, c := range map[float64]struct {
		want []int
		why  string
	}{.1: {[]int{1, 4, 3}, "the teacher, since the network would give 3 GPUs otherwise, more than 0"}, .4: {[]int{4, 1, 3}, "a network in training"}, 1: {[]int{4, 1, 3}, "a network in training"}} {
		p := trainee(t, longest)
		p.(*dl2.Policy).MaxDifference = part
		got, plan := decide(t, p, snapshot(8, 3, 1, 2))
		if got[0] != c.want[0] || got[1] != c.want[1] || got[2] != c.want[2] || !strings.Contains(plan.Decisions[0].Why, c.why) {
			t.Errorf("up to %g: %v, want %v: %s", part, got, c.want, plan.Decisions[0].Why)
		}
	}
}
