package belief_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/belief"
)

var model = belief.Model{Noise: .2, Drift: .1, Delay: time.Minute}

func running(id policy.JobID, node string, gpus ...int) policy.Job {
	return policy.Job{ID: id, User: "u", Name: "train", State: policy.Running, Shareable: true, On: policy.Alloc{{Node: node, Type: "g", Count: len(gpus), Devices: policy.NewDeviceSet(gpus...)}}}
}

func snapshot(jobs ...policy.Job) *policy.Snapshot {
	return &policy.Snapshot{Now: policytest.SnapshotTime, Jobs: jobs, Nodes: []policy.Node{{Name: "n1", GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}}, {Name: "n2", GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}}}}
}

func used(s *policy.Snapshot, i int) (mean, sigma float64) {
	if s.Jobs[i].Sharing == nil || !s.Jobs[i].Sharing.Utilisation.Known {
		return math.NaN(), math.NaN()
	}
	return s.Jobs[i].Sharing.Utilisation.Value, s.Jobs[i].Sharing.UtilisationSigma
}

// follow reads the given values of the jobs in turn, a minute apart; negative: a counter failed.
func follow(t *testing.T, m belief.Model, s *policy.Snapshot, readings ...[]float64) (belief.State, *policy.Snapshot) {
	t.Helper()
	var state belief.State
	told := s
	for _, row := range readings {
		s.Now = s.Now.Add(time.Minute)
		for i, z := range row {
			s.Jobs[i].Utilisation = policy.OptionalValue{Value: z, Known: z >= 0}
		}
		state, told = m.Update(state, s)
		raw, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &state); err != nil {
			t.Fatal(err)
		}
	}
	return state, told
}

// TestZeroModel believes the latest reading, and is sure of it.
func TestZeroModel(t *testing.T) {
	_, told := follow(t, belief.Model{}, snapshot(running(1, "n1", 0), running(2, "n1", 1)), []float64{.3, .8}, []float64{.25, -1})
	for i, want := range []float64{.25, .8} {
		if mean, sigma := used(told, i); mean != want || sigma > 1e-6 {
			t.Errorf("job %d: %v with an error of %v, want %v", i+1, mean, sigma, want)
		}
	}
}

// TestReadings: the more, the surer, and no single one moves much; without them a belief fades, and is none in the end.
func TestReadings(t *testing.T) {
	s := snapshot(running(1, "n1", 0))
	many := make([][]float64, 30)
	chance := rand.New(rand.NewPCG(1, 1))
	for i := range many {
		many[i] = []float64{.5 * (1 + .2*chance.NormFloat64())}
	}
	state, told := follow(t, model, s, many...)
	mean, sigma := used(told, 0)
	if math.Abs(mean-.5) > .05 || sigma > .05 || s.Jobs[0].Sharing != nil {
		t.Errorf("%.3f with an error of %.3f", mean, sigma)
	}
	s.Now, s.Jobs[0].Utilisation.Value = s.Now.Add(time.Minute), .9
	_, told = model.Update(state, s)
	if after, _ := used(told, 0); after < mean || after > mean+.1 {
		t.Errorf("one reading of .9 makes %.3f of %.3f", after, mean)
	}
	s.Now, s.Jobs[0].Utilisation = s.Now.Add(time.Hour), policy.OptionalValue{}
	later, told := model.Update(state, s)
	if after, wider := used(told, 0); after != mean || wider < .1 {
		t.Errorf("an hour later %.3f with an error of %.3f", after, wider)
	}
	s.Now = s.Now.Add(24 * time.Hour)
	if _, told = model.Update(later, s); told.Jobs[0].Sharing != nil {
		t.Errorf("a day later %+v", told.Jobs[0].Sharing)
	}
}

// TestNode: what a node reads tells of the job without a reading of its own, and where two have none, of their
// sum only, however often it is read. It is not read where all jobs have readings, nor where a job on several nodes is.
func TestNode(t *testing.T) {
	exact := belief.Model{Noise: .01}
	s := snapshot(running(1, "n1", 0), running(2, "n1", 1, 2))
	s.Nodes[0].GPUs[0].Utilisation = policy.KnownValue(.5) // 2 of 4 GPUs
	_, told := follow(t, exact, s, []float64{.4, -1})
	if mean, _ := used(told, 1); math.Abs(mean-.8) > .01 {
		t.Errorf("%.3f of the other, want .8", mean)
	}
	var rows [][]float64
	for range 50 {
		rows = append(rows, []float64{-1, -1})
	}
	_, told = follow(t, exact, s, rows...)
	if first, sigma := used(told, 0); !math.IsNaN(first) && sigma < .2 {
		t.Errorf("the sum of two is known, and it claims to know one to %.3f", sigma)
	}
	_, told = follow(t, exact, s, []float64{.4, .4})
	if mean, _ := used(told, 1); math.Abs(mean-.4) > .01 {
		t.Errorf("%.3f, want its own reading", mean)
	}
	s.Jobs = append(s.Jobs, policy.Job{ID: 3, State: policy.Running, On: policy.Alloc{{Node: "n1", Type: "g", Count: 1}, {Node: "n2", Type: "g", Count: 4}}})
	if _, told = follow(t, exact, s, []float64{.4, -1, -1}); told.Jobs[1].Sharing != nil {
		t.Errorf("%+v", told.Jobs[1].Sharing)
	}
}

// TestNeighbours: jobs on one GPU read what both use, which is no more than all of it.
func TestNeighbours(t *testing.T) {
	s := snapshot(running(1, "n1", 0), running(2, "n1", 0))
	s.Jobs[0].Sharing = &policy.Sharing{Utilisation: policy.KnownValue(.3), Source: "measured"}
	_, told := follow(t, belief.Model{Noise: .01}, s, []float64{.7, .7}, []float64{.7, .7})
	one, _ := used(told, 0)
	two, _ := used(told, 1)
	if math.Abs(one+two-.7) > .01 || math.Abs(one-.3) > .05 {
		t.Errorf("%.3f and %.3f, want about .3 and .4", one, two)
	}
	s.Jobs[0].Sharing.Utilisation, s.Jobs[1].Sharing = policy.KnownValue(.8), &policy.Sharing{Utilisation: policy.KnownValue(.7)}
	_, told = follow(t, belief.Model{Noise: .01}, s, []float64{1, 1})
	if one, _ = used(told, 0); one != .8 {
		t.Errorf("a full GPU makes %.3f of .8", one)
	}
}

// TestKinds: a job that waits is thought of as those of its kind that run, and that ran.
func TestKinds(t *testing.T) {
	waits := policy.Job{ID: 9, User: "u", Name: "train", State: policy.Pending, Shareable: true}
	stranger := policy.Job{ID: 10, User: "v", Name: "train", State: policy.Pending, Shareable: true}
	s := snapshot(running(1, "n1", 0), waits, stranger)
	state, told := follow(t, belief.Model{}, s, []float64{.6, -1, -1})
	if mean, sigma := used(told, 1); math.Abs(mean-.6) > .01 || sigma < .08 {
		t.Errorf("%.3f with an error of %.3f", mean, sigma)
	}
	if told.Jobs[2].Sharing != nil {
		t.Errorf("of another user's: %+v", told.Jobs[2].Sharing)
	}
	if told.Jobs[1].Sharing.AcceptsOtherUsers != true {
		t.Error("its owner's terms changed")
	}
	s.Jobs = s.Jobs[1:]
	for range 3 {
		s.Now = s.Now.Add(time.Minute)
		state, told = belief.Model{}.Update(state, s)
	}
	if mean, _ := used(told, 0); math.Abs(mean-.6) > .01 {
		t.Errorf("after it ended %.3f", mean)
	}
	s.Now = s.Now.Add(31 * 24 * time.Hour)
	if _, told = (belief.Model{}).Update(state, s); told.Jobs[0].Sharing != nil {
		t.Error("remembered for ever")
	}
}

// TestForeignState: what is no state of ours is none.
func TestForeignState(t *testing.T) {
	bad := belief.State{Groups: []belief.Group{{Members: []belief.Member{{ID: 1}}}}}
	if _, told := model.Update(bad, snapshot(running(1, "n1", 0))); told.Jobs[0].Sharing != nil {
		t.Errorf("%+v", told.Jobs[0].Sharing)
	}
}
