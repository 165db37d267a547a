package pollux_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/pollux"
	"fairbridge/scripts/verify/part"
)

// table is a curve of measured speeds, of one GPU first.
func table(speeds ...float64) *policy.Scaling {
	s := &policy.Scaling{Source: policy.ScalingFromTable}
	for i, v := range speeds {
		s.Points = append(s.Points, policy.SpeedPoint{Devices: i + 1, StepsPerSecond: v})
	}
	return s
}

// node is a snapshot of one node, with elastic jobs of these curves.
func node(gpus int, curves ...*policy.Scaling) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
	for i, c := range curves {
		at := s.Now.Add(-time.Hour)
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: at, Submit: at,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}, MinGPUs: 1, MaxGPUs: 4, Scaling: c})
	}
	return s
}

func decide(t *testing.T, params paper.Params, s *policy.Snapshot) []policy.Decision {
	t.Helper()
	plan, err := policytest.NewPolicy(t, pollux.System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan.Decisions
}

// TestExample: two jobs on four GPUs get two each, on five three and two; speeds a hundred
// times as large change nothing.
func TestExample(t *testing.T) {
	for _, scale := range []float64{1, 100} {
		for gpus, want := range map[int][2]int{4: {2, 2}, 5: {3, 2}} {
			d := decide(t, nil, node(gpus, table(1*scale, 1.8*scale, 2.4*scale, 2.8*scale), table(1, 1.3, 1.4, 1.45)))
			if d[0].GPUs != want[0] || d[1].GPUs != want[1] {
				t.Errorf("%d GPUs, speeds of the first times %g: %+v, want %v", gpus, scale, d, want)
			}
		}
	}
}

// TestNobodyIsLeftOut: while there are GPUs for all, every job has one.
func TestNobodyIsLeftOut(t *testing.T) {
	good, bad := table(1, 2, 3, 4), table(1, 1, 1, 1)
	for _, d := range decide(t, nil, node(4, good, bad, good, bad)) {
		if d.Verb != policy.Start || d.GPUs != 1 {
			t.Errorf("%+v, want a start on one GPU", d)
		}
	}
}

// TestSmallGainsAreNotWorthARestart: a job grows when the gain is larger than what it pays.
func TestSmallGainsAreNotWorthARestart(t *testing.T) {
	for _, c := range []struct {
		gain float64
		age  time.Duration
		want policy.Verb
	}{{1.04, 10 * time.Minute, policy.Keep}, {1.2, 10 * time.Minute, policy.Resize}, {1.2, 2 * time.Minute, policy.Keep}} {
		s := node(2, table(1, c.gain))
		j := &s.Jobs[0]
		j.State, j.Arrive, j.Start, j.On = policy.Running, s.Now.Add(-c.age), s.Now.Add(-c.age), policy.Alloc{{Node: "n1", Type: "g", Count: 1}}
		if d := decide(t, paper.Params{"min_run": "1s"}, s)[0]; d.Verb != c.want {
			t.Errorf("gain %g after %v: %+v, want %s", c.gain, c.age, d, c.want)
		}
	}
}

// TestLongRestartsAreRare: a job runs twenty times what its restart costs.
func TestLongRestartsAreRare(t *testing.T) {
	for ran, want := range map[time.Duration]policy.Verb{50 * time.Minute: policy.Keep, 70 * time.Minute: policy.Resize} {
		s := node(2, table(1, 1.9))
		j := &s.Jobs[0]
		j.State, j.CheckpointCost, j.Arrive, j.Start, j.On = policy.Running, 3*time.Minute, s.Now.Add(-24*time.Hour), s.Now.Add(-ran), policy.Alloc{{Node: "n1", Type: "g", Count: 1}}
		if d := decide(t, nil, s)[0]; d.Verb != want {
			t.Errorf("after %v: %+v, want %s", ran, d, want)
		}
	}
}

// TestUnknownJobsBeginSmall: a job that never reported gets what it needs least, one that ran on
// two GPUs four at most.
func TestUnknownJobsBeginSmall(t *testing.T) {
	seen := table(1, 2, 3, 4, 5, 6, 7, 8)
	seen.Source, seen.MaxSeenDevices = policy.ScalingFromReports, 2
	s := node(8, nil, seen)
	s.Jobs[1].MaxGPUs = 8
	if d := decide(t, nil, s); d[0].GPUs != 1 || d[1].GPUs != 4 {
		t.Errorf("%+v, want 1 and 4 GPUs", d)
	}
}

// TestRecommendsBatch: the plan says which batch is best.
func TestRecommendsBatch(t *testing.T) {
	s := node(4, fitted(0))
	if d := decide(t, nil, s)[0]; d.GPUs != 4 || d.BatchSize <= 128 || d.BatchSize%4 != 0 {
		t.Errorf("%+v, want 4 GPUs and a batch above 128", d)
	}
}

// fitted is what a job that adapts its batch knows of itself; they differ by number.
func fitted(i int) *policy.Scaling {
	f := func(k int) float64 { return 1 + .2*float64((i*7+k*3)%10) }
	return &policy.Scaling{Source: policy.ScalingFromReports, MaxSeenDevices: 4 + i%5,
		StepTimes: []policy.StepTime{{GradAlpha: .03 * f(1), GradBeta: .001 * f(2), LocalAlpha: .01 * f(3), LocalBeta: .001 * f(4), NetAlpha: .03 * f(5), NetBeta: .003 * f(6), Gamma: 1 + f(7)}},
		Batch:     &policy.BatchRange{Initial: 128, Max: 4096, LeastPerDevice: 16, MostPerDevice: 256, GradSqr: 1, GradVar: 3 * f(8)}}
}

// withCurves is pollux where every elastic job knows how fast it is.
type withCurves struct{ policy.Policy }

func (w withCurves) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	s = s.Clone()
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.MaxGPUs > j.MinGPUs {
			j.Scaling = fitted(int(j.ID))
		}
	}
	return w.Policy.Decide(s)
}

func TestLawsWithCurves(t *testing.T) {
	policytest.CheckLaws(t, func() policy.Policy {
		return withCurves{policytest.NewPolicy(t, pollux.System().New, paper.Params{"min_run": "1s"})}
	}, policytest.StopsMayCascade, policytest.LeasesIgnorePlacement)
}

// crowd is so many elastic jobs on nodes of eight GPUs, half of them running.
func crowd(jobs, nodes int) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime}
	for i := range nodes {
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprintf("n%04d", i), Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range jobs {
		at := s.Now.Add(-time.Duration(1+rng.IntN(36000)) * time.Second)
		j := policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: at, Submit: at,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}, MinGPUs: 1, MaxGPUs: 64, Scaling: fitted(i)}
		if i%2 == 0 && i/2/4 < nodes {
			j.State, j.Start = policy.Running, at
			j.On = policy.Alloc{{Node: s.Nodes[i/2/4].Name, Type: "g", Count: 2}}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// TestDecidesInTime: a decision over 1,000 elastic jobs on 1,024 GPUs takes 200 ms of
// processor time at most, on a machine that does not matter much.
func TestDecidesInTime(t *testing.T) {
	part.Only(t, "speed")
	s, p := crowd(1000, 128), policytest.NewPolicy(t, pollux.System().New, nil)
	least := policytest.LeastProcessorTime(t, 5, func() {
		if _, err := p.Decide(s); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("a decision takes %v of processor time", least)
	if least > 200*time.Millisecond {
		t.Errorf("a decision takes %v of processor time, want 200ms at most", least)
	}
}

func BenchmarkDecide(b *testing.B) {
	s, p := crowd(1000, 128), policytest.NewPolicy(b, pollux.System().New, nil)
	for b.Loop() {
		if _, err := p.Decide(s); err != nil {
			b.Fatal(err)
		}
	}
}
