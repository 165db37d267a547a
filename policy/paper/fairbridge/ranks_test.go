package fairbridge_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/policy"
	"fairbridge/policy/paper/fairbridge"
	"fairbridge/policy/policytest"
)

// roomyRound draws nodes of 8 GPUs of which jobs hold less than half, and some jobs that wait, each of them
// predicted.
func roomyRound(r *rand.Rand) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, PredictionTrust: r.Float64(), OmitReasons: true}
	for i := range 6 {
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprint("n", i), Partitions: []string{"p"},
			GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
	}
	for i := range 3 {
		used := policy.GPUSeconds(r.ExpFloat64() * 1e6)
		s.Accounts = append(s.Accounts, policy.Account{Name: fmt.Sprint("a", i), UsedService: used})
	}
	isFixed := r.IntN(2) == 0
	for i := range 4 + r.IntN(20) {
		at := s.Now.Add(-time.Duration(r.ExpFloat64() * float64(6*time.Hour)))
		left := time.Duration(1+r.ExpFloat64()*float64(1+r.IntN(50_000))) * time.Second
		j := policy.Job{ID: policy.JobID(i + 1), User: fmt.Sprint("u", r.IntN(4)), Account: fmt.Sprint("a", r.IntN(3)),
			Name: fmt.Sprint("job", r.IntN(3)), Partition: "p", State: policy.Pending,
			Submit: at, Arrive: at, EligibleAt: at, Limit: 24 * time.Hour, PredictedLeft: left, PredictedSigma: left,
			Ask: policy.Ask{GPUs: policy.GPUs{Count: 1 << r.IntN(3)}}}
		if isFixed {
			j.UnstoppableReason = "its owner does not let it be stopped"
		}
		if node := &s.Nodes[i%6]; i < 6 {
			j.State, j.Start, j.FirstStart = policy.Running, at, at
			j.On = policy.Alloc{{Node: node.Name, Type: "g", Count: j.Ask.GPUs.Count}}
			j.Attained = policy.ServiceForTime(float64(j.Ask.GPUs.Count), s.Now.Sub(at))
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// TestWaitingJobsAlone: where all jobs that wait have room, they get the places that they get by the whole line.
func TestWaitingJobsAlone(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for range 300 {
		s := roomyRound(random)
		var plans [2]*policy.Plan
		for i := range plans {
			var err error
			s.OmitRanks = i == 1
			if plans[i], err = policytest.NewPolicy(t, fairbridge.System().New, nil).Decide(s); err != nil {
				t.Fatal(err)
			}
		}
		ranks := cmpopts.IgnoreFields(policy.Decision{}, "Rank")
		if d := cmp.Diff(plans[0].Decisions, plans[1].Decisions, ranks); d != "" {
			t.Fatalf("ranks that are not read change the plan:\n%s", d)
		}
		if !plans[0].Memo.Equal(plans[1].Memo) {
			t.Fatalf("ranks that are not read change what is remembered")
		}
	}
}
