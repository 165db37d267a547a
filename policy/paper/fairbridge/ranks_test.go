package fairbridge_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper/fairbridge"
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
	isFixed, users := r.IntN(2) == 0, 1+r.IntN(4)
	for i := range 10 + r.IntN(14) {
		at := s.Now.Add(-time.Duration(r.ExpFloat64() * float64(6*time.Hour)))
		left := time.Duration(1+r.ExpFloat64()*float64(1+r.IntN(50_000))) * time.Second
		j := policy.Job{ID: policy.JobID(i + 1),
			User: fmt.Sprint("u", r.IntN(users)), Account: fmt.Sprint("a", r.IntN(min(users, 3))),
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

// TestScratchChangesNothing: what decisions leave for the next ones changes neither plans nor what is remembered,
// as jobs start, leave and arrive.
func TestScratchChangesNothing(t *testing.T) {
	for seed := range uint64(40) {
		var chains [2]*policy.Snapshot
		for i := range chains {
			chains[i] = roomyRound(rand.New(rand.NewPCG(seed, 2)))
		}
		chains[1].Scratch, chains[1].OmitRanks = &policy.Scratch{}, true
		for step := range 8 {
			var plans [2]*policy.Plan
			for i, s := range chains {
				var err error
				if plans[i], err = policytest.NewPolicy(t, fairbridge.System().New, nil).Decide(s); err != nil {
					t.Fatal(err)
				}
			}
			d := cmp.Diff(plans[0].Decisions, plans[1].Decisions, cmpopts.IgnoreFields(policy.Decision{}, "Rank"))
			if d != "" || !plans[0].Memo.Equal(plans[1].Memo) {
				t.Fatalf("seed %d, step %d: the plan is another:\n%s", seed, step, d)
			}
			for i, s := range chains {
				carryOut(s, plans[i], step)
			}
		}
	}
}

// carryOut starts what is to start and lets time go on, a job end and, in every third step, one wait.
func carryOut(s *policy.Snapshot, plan *policy.Plan, step int) {
	for i := range s.Jobs {
		if d := plan.Decisions[i]; d.Verb == policy.Start {
			s.Jobs[i].State, s.Jobs[i].Start, s.Jobs[i].On = policy.Running, s.Now, d.On
		}
	}
	s.Memo, s.Now = plan.Memo, s.Now.Add(5*time.Minute)
	ended := step % len(s.Jobs) // of three at least
	next := s.Jobs[ended]
	s.Jobs = append(s.Jobs[:ended:ended], s.Jobs[ended+1:]...)
	if step%3 == 2 {
		next.ID, next.State, next.On, next.Start = policy.JobID(1000+step), policy.Pending, nil, time.Time{}
		s.Jobs = append(s.Jobs, next)
	}
}
