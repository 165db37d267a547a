package metis_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/metis"
	"fairbridge/scripts/verify/part"
)

// waiting is a job that may run on a range of GPUs, of whose kind speeds were reported.
func waiting(id policy.JobID, asks, least, most int, speeds ...policy.SpeedPoint) policy.Job {
	j := policy.Job{ID: id, User: "u", Name: "train", Account: "a", Partition: "gpu", State: policy.Pending, Arrive: policytest.SnapshotTime.Add(-time.Hour),
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: asks}}, MinGPUs: least, MaxGPUs: most, PredictedLeft: time.Hour}
	if len(speeds) > 0 {
		j.Scaling = &policy.Scaling{Source: policy.ScalingFromClass, Points: speeds}
	}
	return j
}

func speed(devices int, steps float64) policy.SpeedPoint {
	return policy.SpeedPoint{Type: "g", Devices: devices, StepsPerSecond: steps}
}

func snapshot(gpus int, jobs ...policy.Job) *policy.Snapshot {
	return &policy.Snapshot{Now: policytest.SnapshotTime, Jobs: jobs, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
}

func sizes(t interface{ Fatal(...any) }, params paper.Params, s *policy.Snapshot) (all []int, plan *policy.Plan) {
	p, err := metis.System().New(params)
	if err != nil {
		t.Fatal(err)
	}
	if plan, err = p.Decide(s); err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	for _, j := range s.Jobs {
		for _, d := range plan.Decisions {
			if d.Job == j.ID {
				all = append(all, d.On.Count())
			}
		}
	}
	return all, plan
}

// TestSizes: what a job alone on a large cluster starts on.
func TestSizes(t *testing.T) {
	peak := []policy.SpeedPoint{speed(1, 1), speed(2, 1.9), speed(4, 3.4), speed(8, 5.5), speed(16, 3)}
	for name, c := range map[string]struct {
		job    policy.Job
		params paper.Params
		want   int
	}{
		"nothing is known":               {waiting(1, 4, 1, 16), nil, 4},
		"no range":                       {waiting(1, 4, 0, 0, peak...), nil, 4},
		"the best of those known":        {waiting(1, 4, 1, 16, peak...), nil, 8},
		"the best its owner allows":      {waiting(1, 2, 1, 4, peak...), nil, 4},
		"slow on more: no more":          {waiting(1, 8, 1, 64, peak...), paper.Params{"tries": 5}, 8},
		"one more to try":                {waiting(1, 2, 1, 16, speed(2, 2), speed(8, 7)), nil, 16},
		"none, as enough were tried":     {waiting(1, 2, 1, 16, speed(1, 1), speed(2, 1.5), speed(4, 1.6)), paper.Params{"tries": 3}, 4},
		"not half as fast, to try":       {waiting(1, 8, 1, 8, speed(8, 6)), nil, 8},
		"unless its owner would have it": {waiting(1, 8, 1, 8, speed(8, 6), speed(4, 7)), paper.Params{"tries": 2}, 4},
		"no speed at all was reported":   {waiting(1, 4, 1, 16, speed(2, 0)), nil, 4},
	} {
		if got, plan := sizes(t, c.params, snapshot(128, c.job)); got[0] != c.want {
			t.Errorf("%s: %d, want %d: %s", name, got[0], c.want, plan.Decisions[0].Why)
		}
	}
}

// TestFull: what was asked for lately counts as what is asked for now: no GPU time is wasted on a cluster that is idle for a moment.
func TestFull(t *testing.T) {
	wasteful := []policy.SpeedPoint{speed(2, 2), speed(4, 2.5), speed(8, 2.8)}
	s := snapshot(64, waiting(1, 2, 1, 8, wasteful...))
	if got, _ := sizes(t, nil, s); got[0] != 8 {
		t.Errorf("%d on an idle cluster, want 8", got[0])
	}
	s.Memo = policy.MemoFromJSON([]byte(`{"at":"` + policytest.SnapshotTime.Add(-time.Minute).Format(time.RFC3339) + `","mean":0.95}`))
	if got, _ := sizes(t, nil, s); got[0] != 2 {
		t.Errorf("%d on one that was full, want 2", got[0])
	}
	s.Memo = policy.MemoFromJSON([]byte(`{"at":"` + policytest.SnapshotTime.Add(-48*time.Hour).Format(time.RFC3339) + `","mean":0.95}`))
	if got, _ := sizes(t, nil, s); got[0] != 8 {
		t.Errorf("%d on one that was full two days ago, want 8", got[0])
	}
	s.Memo = policy.MemoFromJSON([]byte(`{"at":3}`))
	p := policytest.NewPolicy(t, metis.System().New, nil)
	if _, err := p.Decide(s); err == nil || !strings.Contains(err.Error(), "metis") {
		t.Errorf("what is no memory: %v", err)
	}
}

// TestShares: where not all can have what they should, devices go where they do most of the work.
func TestShares(t *testing.T) {
	good := []policy.SpeedPoint{speed(1, 1), speed(2, 1.98), speed(4, 3.9), speed(8, 7.6)}
	poor := []policy.SpeedPoint{speed(1, 1), speed(2, 1.5), speed(4, 2), speed(8, 2.2)}
	a, b := waiting(1, 1, 1, 8, poor...), waiting(2, 1, 1, 8, good...)
	b.Name = "other"
	if got, _ := sizes(t, paper.Params{"spare": 1.}, snapshot(10, a, b)); got[0] > 2 || got[1] != 8 {
		t.Errorf("%v, want 8 for the one that scales", got)
	}
}

// TestRange: whatever was reported, sizes are within the range of the owner or what is asked, and what runs keeps its size.
func TestRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(1, 8).Draw(t, "least")
		most := rapid.IntRange(least, 32).Draw(t, "most")
		asks := rapid.IntRange(least, most).Draw(t, "asks")
		var points []policy.SpeedPoint
		for n := 1; n <= 32; n *= 2 {
			if rapid.Bool().Draw(t, "reported") {
				points = append(points, speed(n, rapid.Float64Range(0, 100).Draw(t, "speed")))
			}
		}
		runs := waiting(2, asks, least, most, points...)
		runs.State, runs.Start, runs.On = policy.Running, policytest.SnapshotTime.Add(-time.Hour), policy.Alloc{{Node: "n1", Type: "g", Count: least}}
		got, _ := sizes(t, nil, snapshot(64, waiting(1, asks, least, most, points...), runs))
		if got[0] != 0 && (got[0] < least || got[0] > most) || got[1] != least {
			t.Fatalf("%v of %d to %d", got, least, most)
		}
	})
}

// TestDecidesInTime: 10,000 jobs on 4,096 GPUs, each of a kind of its own with other speeds, are decided in a second of processor time.
func TestDecidesInTime(t *testing.T) {
	part.Only(t, "speed")
	s := policytest.BusyCluster(512, 10_000)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.Class, j.MinGPUs, j.MaxGPUs = string(j.Label()), 1, 64
		j.Scaling = &policy.Scaling{Source: policy.ScalingFromClass}
		for k, n := range []int{1, 2, 4, 8} {
			j.Scaling.Points = append(j.Scaling.Points, policy.SpeedPoint{Devices: n, StepsPerSecond: float64(n) / (1 + float64(i%7+k)/50)})
		}
	}
	p := policytest.NewPolicy(t, metis.System().New, nil)
	before := policytest.ProcessorTime(t)
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	took := policytest.ProcessorTime(t) - before
	t.Logf("%v", took)
	if took > time.Second {
		t.Errorf("%v for %d jobs, want at most 1s", took, len(s.Jobs))
	}
	if err := plan.Check(s); err != nil {
		t.Error(err)
	}
}

// TestCountedNames: jobs whose names differ in counters try one size after another where what is known of them is of one another, and each by itself where
// it is of its own name.
func TestCountedNames(t *testing.T) {
	for source, want := range map[policy.ScalingSource]bool{policy.ScalingFromRecurring: true, policy.ScalingFromClass: false} {
		a, b := waiting(1, 2, 1, 16, speed(2, 2), speed(8, 7)), waiting(2, 2, 1, 16, speed(2, 2), speed(8, 7))
		a.Name, b.Name = "net-50", "net-101"
		a.Scaling.Source, b.Scaling.Source = source, source
		got, plan := sizes(t, nil, snapshot(128, a, b))
		if differ := got[0] != got[1]; differ != want || got[0] != 16 {
			t.Errorf("%s: %v: %s; %s", source, got, plan.Decisions[0].Why, plan.Decisions[1].Why)
		}
	}
}
