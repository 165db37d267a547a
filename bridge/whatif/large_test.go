package whatif

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge/estimate"
	"fairbridge/policy"
	"fairbridge/replica/policyset"
)

// largeSite is a site of full nodes of eight GPUs, with a long line of jobs of many users and shapes.
func largeSite(nodeCount, waitingCount int) *policy.Snapshot {
	s := &policy.Snapshot{Seq: 1, Now: noon}
	job := func(i, gpus int, left time.Duration) policy.Job {
		user := fmt.Sprint("u", i%97)
		return policy.Job{
			ID: policy.JobID(i + 1), User: user, Account: fmt.Sprint("a", i%11), Partition: "gpu", State: policy.Pending, Arrive: noon.Add(time.Duration(i-40_000) * time.Second), Limit: 3 * left,
			PredictedLeft: left, PredictedSigma: left, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}, CPUs: gpus, MinNodes: 1, MaxNodes: 1}, UnstoppableReason: "not opted in",
		}
	}
	for i := range nodeCount {
		name := fmt.Sprintf("n%04d", i)
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}})
		for k := range 2 {
			j := job(2*i+k, 4, time.Duration(1+(7*i+3*k)%40)*20*time.Minute)
			j.State, j.Start, j.On = policy.Running, noon.Add(-time.Hour), policy.Alloc{{Node: name, Type: "a100", Count: 4}}
			j.Limit += time.Hour
			s.Jobs = append(s.Jobs, j)
		}
	}
	for i := range waitingCount {
		s.Jobs = append(s.Jobs, job(2*nodeCount+i, []int{1, 1, 2, 4, 8, 1, 2, 8}[i%8], time.Duration(1+(11*i)%60)*10*time.Minute))
	}
	for i := range 11 {
		s.Accounts = append(s.Accounts, policy.Account{Name: fmt.Sprint("a", i), Weight: 1})
	}
	return s
}

// askLargeSite asks under policy fairbridge.
func askLargeSite(t testing.TB, nodeCount, waitingCount int) (*Submission, policy.Job) {
	t.Helper()
	choice, err := policyset.ParsePolicies("fairbridge", false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := choice[0].NewPolicy()
	if err != nil {
		t.Fatal(err)
	}
	s := largeSite(nodeCount, waitingCount)
	j := NewRequest(s, "gpu", policy.GPUs{Count: 8}, 1, 4*time.Hour)
	j.User, j.Account = "u1", "a1"
	return &Submission{Snapshot: s, Policy: p, Calibration: &estimate.Calibration{}}, j
}

// A long line is laid out fewer times; what that says is what many times say, within the band.
func TestALongLineIsLaidOutFewerTimes(t *testing.T) {
	q, j := askLargeSite(t, 40, 4000)
	got := mustEstimate(t, q, j)
	s := q.snapshotWith(&j)
	plan, err := decide(q.Policy, s)
	if err != nil {
		t.Fatal(err)
	}
	line := estimate.LineOfPlan(plan)
	if n := drawCountFor(len(line)); n >= estimate.DefaultDrawCount || drawCountFor(1000) != estimate.DefaultDrawCount || drawCountFor(1_000_000) != minDrawCount {
		t.Errorf("%d jobs are laid out %d times, 1,000 %d times, a million %d times", len(line), n, drawCountFor(1000), drawCountFor(1_000_000))
	}
	full := estimate.EstimateJobs(estimate.Input{Snapshot: s, Line: line, Only: j.ID})
	if len(full) != 1 || full[0].Start.Middle.Before(got.Start.Early) || full[0].Start.Middle.After(got.Start.Late) || got.Start.Middle.Before(full[0].Start.Early) || got.Start.Middle.After(full[0].Start.Late) {
		t.Errorf("%+v, want about %+v", got.Start, full)
	}
}

// BenchmarkWhen is what `fairbridge when` works out: one request, and the smaller ones beside it.
func BenchmarkWhen(b *testing.B) {
	for _, waiting := range []int{1000, 5000, 20_000} {
		b.Run(fmt.Sprint(waiting), func(b *testing.B) {
			q, j := askLargeSite(b, 500, waiting)
			for b.Loop() {
				if _, _, err := q.EstimateTogether(j, Effort{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
