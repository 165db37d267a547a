package fairbridge_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/fairbridge"
	"fairbridge/scripts/verify/part"
)

// elasticNode is a node of GPUs with elastic jobs of the same curve, so many hours long on the GPU
// they ask for.
func elasticNode(gpus int, hours ...int) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
	for i, h := range hours {
		at := s.Now.Add(-time.Hour)
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: at, Submit: at,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}, MinGPUs: 1, MaxGPUs: 8, PredictedLeft: time.Duration(h) * time.Hour,
			Scaling: &policy.Scaling{Source: policy.ScalingFromTable, Points: []policy.SpeedPoint{
				{Devices: 1, StepsPerSecond: 1}, {Devices: 2, StepsPerSecond: 1.7}, {Devices: 4, StepsPerSecond: 2.6}, {Devices: 8, StepsPerSecond: 3.4}}}})
	}
	return s
}

func decideElastic(t *testing.T, s *policy.Snapshot) []policy.Decision {
	t.Helper()
	plan, err := policytest.NewPolicy(t, fairbridge.System().New, paper.Params{"min_run": "1s"}).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan.Decisions
}

// TestShorterJobsAreLarger: all GPUs are used, and the shorter the job the more it has.
func TestShorterJobsAreLarger(t *testing.T) {
	d := decideElastic(t, elasticNode(8, 30, 1, 10))
	if d[1].GPUs <= d[2].GPUs || d[2].GPUs < d[0].GPUs || d[0].GPUs+d[1].GPUs+d[2].GPUs != 8 {
		t.Errorf("%+v, want more GPUs for shorter jobs, 8 in all", d)
	}
	if d := decideElastic(t, elasticNode(8, 30)); d[0].GPUs != 8 {
		t.Errorf("alone: %+v, want 8 GPUs", d)
	}
}

// TestRigidJobsComeFirst: a rigid job that is first in line has what it asks, and elastic ones what
// is left; one of which nothing is known is rigid too.
func TestRigidJobsComeFirst(t *testing.T) {
	s := elasticNode(8, 5, 1)
	s.Jobs[1].Ask.GPUs.Count, s.Jobs[1].MinGPUs, s.Jobs[1].MaxGPUs, s.Jobs[1].Scaling = 6, 0, 0, nil
	if d := decideElastic(t, s); d[0].GPUs != 2 || d[1].GPUs != 6 || d[0].Verb != policy.Start || d[1].Verb != policy.Start {
		t.Errorf("%+v, want 2 and 6 GPUs", d)
	}
	s = elasticNode(8, 5, 1)
	s.Jobs[1].Scaling = &policy.Scaling{Source: policy.ScalingAssumed, SerialPart: .05}
	if d := decideElastic(t, s); d[0].GPUs != 7 || d[1].GPUs != 1 {
		t.Errorf("%+v, want 7 and 1 GPUs", d)
	}
}

// TestShrinksForTheNext: a job that runs on all GPUs gives some to one that comes, and is
// resized once.
func TestShrinksForTheNext(t *testing.T) {
	s := elasticNode(8, 10, 1)
	j := &s.Jobs[0]
	j.State, j.Start, j.On = policy.Running, s.Now.Add(-time.Hour), policy.Alloc{{Node: "n1", Type: "g", Count: 8}}
	d := decideElastic(t, s)
	if d[0].Verb != policy.Resize || d[1].Verb != policy.Start || d[0].GPUs+d[1].GPUs != 8 || d[1].GPUs < d[0].GPUs {
		t.Fatalf("%+v, want a resize and a start", d)
	}
	for i := range d {
		s.Jobs[i].State, s.Jobs[i].On, s.Jobs[i].Start = policy.Running, d[i].On, s.Now
	}
	s.Now = s.Now.Add(time.Minute)
	for _, d := range decideElastic(t, s) {
		if d.Verb != policy.Keep {
			t.Errorf("a minute later: %+v, want it kept", d)
		}
	}
}

// withCurves is fairbridge where every elastic job knows how fast it is.
type withCurves struct{ policy.Policy }

func (w withCurves) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	s = s.Clone()
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.MaxGPUs > j.MinGPUs {
			j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: .02 * float64(j.ID%7)}
			if j.ID%2 == 0 && j.Ask.GPUs.Type == "" { // the laws know no types that only this adds
				j.GPUTypes, j.Training = typeRates(s, int(j.ID))
			}
		}
	}
	return w.Policy.Decide(s)
}

// typeRates are all GPU types, sorted, and speeds on each of them that differ from job to job.
func typeRates(s *policy.Snapshot, job int) ([]string, *policy.Training) {
	types, t := s.GPUTypes(), &policy.Training{Steps: 36_000 * float64(1+job%5), Epochs: 1}
	slices.Sort(types)
	for i, typ := range types {
		t.Rates = append(t.Rates, policy.Rate{Type: typ, StepsPerSecond: float64(1 + (job+i)%4)})
	}
	return types, t
}

func TestLawsWithCurves(t *testing.T) {
	policytest.CheckLaws(t, func() policy.Policy {
		return withCurves{policytest.NewPolicy(t, fairbridge.System().New, paper.Params{"min_run": "1s"})}
	}, policytest.StopsMayCascade, policytest.LeasesIgnorePlacement)
}

// twoTypes is a node of each of two GPU types with an elastic job for every pair of speeds on a GPU of
// them. They take any type.
func twoTypes(gpus int, speeds ...[2]float64) *policy.Snapshot {
	s := elasticNode(gpus, make([]int, len(speeds))...)
	s.Nodes[0].GPUs[0].Type = "a"
	s.Nodes = append(s.Nodes, policy.Node{Name: "n2", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "b", Count: gpus}}})
	for i, v := range speeds {
		j := &s.Jobs[i]
		j.Ask.GPUs.Type, j.PredictedLeft = "", 0
		j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: .05}
		j.Training = &policy.Training{Steps: 36_000, Rates: []policy.Rate{{Type: "a", StepsPerSecond: v[0]}, {Type: "b", StepsPerSecond: v[1]}}}
	}
	return s
}

// TestTypesByWorth: jobs get the GPU type on which they are worth most to all together, though both
// are faster on one of them.
func TestTypesByWorth(t *testing.T) {
	for _, speeds := range [][2][2]float64{{{1.2, 1}, {4, 1}}, {{4, 1}, {1.2, 1}}} {
		d := decideElastic(t, twoTypes(1, speeds[0], speeds[1]))
		want := []string{"b", "a"}
		if speeds[0][0] > speeds[1][0] {
			want = []string{"a", "b"}
		}
		if len(d[0].On) == 0 || len(d[1].On) == 0 || d[0].On.FirstType() != want[0] || d[1].On.FirstType() != want[1] {
			t.Errorf("speeds %v: %+v, want types %v", speeds, d, want)
		}
	}
}

// TestTypesNotChanged: a job has only types that it accepts and its speed on which is known, and
// one that runs moves where that is worth a restart.
func TestTypesNotChanged(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*policy.Job)
		want   string
	}{
		{"asks for b, and accepts a", func(j *policy.Job) { j.Ask.GPUs.Type, j.GPUTypes = "b", []string{"a"} }, "a"},
		{"asks for b", func(j *policy.Job) { j.Ask.GPUs.Type = "b" }, "b"},
		{"nothing is known of a", func(j *policy.Job) {
			j.Ask.GPUs.Type, j.GPUTypes, j.Training.Rates = "b", []string{"a"}, j.Training.Rates[1:]
		}, "b"},
		{"runs on b", func(j *policy.Job) { runOnB(j, time.Hour) }, "a"},
		{"runs on b, and is soon done", func(j *policy.Job) {
			runOnB(j, time.Hour)
			j.Training.StepsDone = j.Training.Steps - 10
		}, "b"},
		{"is rigid and runs on b", func(j *policy.Job) {
			runOnB(j, time.Hour)
			j.Ask.GPUs.Type, j.MinGPUs, j.MaxGPUs = "b", 0, 0
		}, "b"},
	} {
		s := twoTypes(1, [2]float64{4, 1})
		s.Jobs = append(s.Jobs, policy.Job{ID: 9, User: "v", Account: "a", Partition: "p", State: policy.Pending, Arrive: s.Now, Submit: s.Now,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "b", Count: 1}}, MinGPUs: 1, MaxGPUs: 2, Scaling: s.Jobs[0].Scaling, HeldReason: "held"})
		c.change(&s.Jobs[0])
		if d := decideElastic(t, s); len(d[0].On) == 0 || d[0].On.FirstType() != c.want {
			t.Errorf("a job that %s: %+v, want it on %s", c.what, d[0], c.want)
		}
	}
}

func runOnB(j *policy.Job, since time.Duration) {
	j.State, j.Start, j.On = policy.Running, policytest.SnapshotTime.Add(-since), policy.Alloc{{Node: "n2", Type: "b", Count: 1}}
	j.Arrive, j.Submit = j.Start.Add(-time.Minute), j.Start.Add(-time.Minute)
}

// TestSizesAreDecidedInTime: 1,000 elastic jobs on 1,024 GPUs take 200 ms of processor time at most,
// of one type or of three that all jobs accept.
func TestSizesAreDecidedInTime(t *testing.T) {
	part.Only(t, "speed")
	for _, types := range [][]string{{"g"}, {"g", "h", "i"}} {
		hours := make([]int, 1000)
		for i := range hours {
			hours[i] = 1 + i*i%97
		}
		s := elasticNode(8, hours...)
		for i := 1; i < 128; i++ {
			s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprintf("m%04d", i), Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: types[i%len(types)], Count: 8}}})
		}
		for i := range s.Jobs {
			if j := &s.Jobs[i]; len(types) > 1 {
				j.GPUTypes, j.Training = typeRates(s, i)
			}
		}
		p := policytest.NewPolicy(t, fairbridge.System().New, nil)
		least := policytest.LeastProcessorTime(t, 5, func() {
			if _, err := p.Decide(s); err != nil {
				t.Fatal(err)
			}
		})
		if t.Logf("%d types: a decision takes %v of processor time", len(types), least); least > 200*time.Millisecond {
			t.Errorf("%d types: a decision takes %v of processor time, want 200ms at most", len(types), least)
		}
	}
}
