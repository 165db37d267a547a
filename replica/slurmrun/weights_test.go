package slurmrun

import (
	"fmt"
	"math"
	"testing"

	"fairbridge/bridge"
	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// lastAccounts remembers the accounts of the last snapshot in which all there are have used something.
type lastAccounts struct {
	policy.Policy
	accounts []policy.Account
}

func (l *lastAccounts) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if len(s.Accounts) == 2 && s.Accounts[0].UsedService > 0 {
		l.accounts = append([]policy.Account(nil), s.Accounts...)
	}
	return l.Policy.Decide(s)
}

// TestBothSimulationsCharge: two accounts hold as many GPUs for as long, one of them of a type that is charged a quarter.
// Exactly, and through Slurm, policies see that in what they used, and in what they held that they held the same.
func TestBothSimulationsCharge(t *testing.T) {
	var jobs []workload.Job
	for i, typ := range []string{"a100", "t4", "a100", "t4"} {
		jobs = append(jobs, workload.Job{
			ID: int64(i + 1), Name: fmt.Sprint("j", i), User: []string{"ann", "bob"}[i%2], Account: []string{"dear", "cheap"}[i%2], GPUType: typ,
			GPUs: 8, Duration: 4 * 3600, Arrive: 30 + float64(i/2)*7200,
		})
	}
	nodes := cluster(2)
	nodes[1].GPUs[0].Type = "t4"
	weights := policy.BillingWeights{"t4": .25}
	for name, run := range map[string]func(p policy.Policy, w policy.BillingWeights) error{
		"exact": func(p policy.Policy, w policy.BillingWeights) error {
			_, err := exact.Run(exact.Config{Policy: p, Nodes: nodes, Jobs: jobs, BillingWeights: w, Accounts: []policy.Account{{Name: "cheap", Weight: 1}, {Name: "dear", Weight: 1}}})
			return err
		},
		"through Slurm": func(p policy.Policy, w policy.BillingWeights) error {
			c := Config{Policy: p, PolicyName: "fifo", Nodes: nodes, Jobs: jobs, LoopConfig: bridge.DefaultConfig()}
			c.LoopConfig.BillingWeights = w
			_, err := Run(c)
			return err
		},
		"through Slurm, by the defaults": func(p policy.Policy, w policy.BillingWeights) error {
			_, err := Run(Config{Policy: p, PolicyName: "fifo", Nodes: nodes, Jobs: jobs, LoopConfig: bridge.Config{BillingWeights: w}})
			return err
		},
	} {
		for _, w := range []policy.BillingWeights{nil, weights} {
			p := &lastAccounts{Policy: decider(t, "fifo")}
			if err := run(p, w); err != nil {
				t.Fatal(name, err)
			}
			if len(p.accounts) != 2 {
				t.Fatalf("%s: no snapshot had two accounts that used something", name)
			}
			cheap, dear := p.accounts[0], p.accounts[1]
			if dear.HeldService != 0 || dear.UsedService < 3600 {
				t.Errorf("%s, weights %v: %+v: what is charged as it is has one figure", name, w, dear)
			}
			held := cheap.HeldService
			if w == nil {
				held = cheap.UsedService
			}
			if math.Abs(float64(held/dear.UsedService-1)) > .02 || math.Abs(float64(cheap.UsedService/held)-w.Of("t4")) > 1e-9 || w == nil && cheap.HeldService != 0 {
				t.Errorf("%s, weights %v: %+v beside %+v", name, w, cheap, dear)
			}
		}
	}
}
