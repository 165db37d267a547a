package slurmrun

import (
	"math"
	"testing"
	"time"

	"fairbridge/bridge/cycle"
	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// TestUsedBefore wants what accounts used before the workload to be known from
// the first decision on, the same exactly and through Slurm, and to Slurm
// itself: of two jobs that wait for one place, that of the account that used
// less starts first.
func TestUsedBefore(t *testing.T) {
	accounts := []policy.Account{{Name: "a", Weight: 1, UsedService: 9e6}, {Name: "b", Weight: 1, UsedService: 3e6}}
	var jobs []workload.Job
	for i, account := range []string{"a", "a", "b"} {
		jobs = append(jobs, workload.Job{ID: int64(i + 1), User: "u" + account, Account: account, Arrive: float64(10 * i), GPUs: 8,
			Duration: 1200, TimeLimit: time.Hour, IsUnstoppable: true, IsSilent: true})
	}
	first := map[string][]float64{}
	see := func(how string, s *policy.Snapshot) {
		if first[how] == nil {
			first[how] = []float64{float64(s.Accounts[0].UsedService), float64(s.Accounts[1].UsedService)}
		}
	}
	_, err := exact.Run(exact.Config{Policy: decider(t, "fairbridge"), Nodes: cluster(1), Jobs: jobs, Accounts: accounts,
		Clock: exact.NewEventClock(time.Minute, 0, 0), WatchDecision: func(s *policy.Snapshot, _ *policy.Plan) { see("exact", s) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []policy.Policy{nil, decider(t, "fairbridge")} {
		run, err := Run(Config{PolicyName: "fairbridge", Policy: p, Nodes: cluster(1), Jobs: jobs, Accounts: accounts,
			WatchCycle: func(r *cycle.Report) {
				for i := range r.PartitionResults {
					see("slurm", r.PartitionResults[i].Snapshot)
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if run.JobOutcomes[2].Start > run.JobOutcomes[1].Start {
			t.Errorf("policy %v: the account that used more starts at %v s, the other at %v s", p != nil, run.JobOutcomes[1].Start, run.JobOutcomes[2].Start)
		}
	}
	for _, how := range []string{"exact", "slurm"} {
		for k, want := range []float64{9e6, 3e6} {
			if got := first[how]; len(got) < 2 || math.Abs(got[k]/want-1) > .01 {
				t.Errorf("%s: accounts used %v at first, want about 9e6 and 3e6", how, got)
			}
		}
	}
}
