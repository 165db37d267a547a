package answers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/answers"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// The viewer of the law, who has every third job, and their account.
const (
	lawUser    = "uzoe"
	lawAccount = "aczoe"
)

// recognisable gives a generated snapshot numbers and names that nothing else in an answer has.
func recognisable(s *policy.Snapshot) (secrets []string) {
	seen := map[string]bool{"secretname": true}
	secret := func(name string) { seen[name] = true }
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.ID += 700_000_000
		j.User, j.Account, j.Name = "u"+j.User+"x", "ac"+j.Account, "secretname"
		if j.ID%5 == 0 {
			j.Address = fmt.Sprintf("%d_[1-4]", j.ID-100_000_000)
		}
		if i%3 == 0 {
			j.User, j.Account, j.Name = lawUser, lawAccount, "mine"
			continue
		}
		for _, name := range []string{fmt.Sprint(j.ID), j.Label(), strings.TrimSuffix(j.Label(), "_[1-4]"), j.User, j.Account} {
			secret(name)
		}
	}
	for i := range s.Accounts {
		a := &s.Accounts[i]
		if a.Name = "ac" + a.Name; a.Parent != "" {
			a.Parent = "ac" + a.Parent
		}
		secret(a.Name)
	}
	s.Accounts = append(s.Accounts, policy.Account{Name: lawAccount, Weight: 3, UsedService: 50_000, RecentService: 9000})
	for i := range s.Users {
		u := &s.Users[i]
		u.Name, u.Account = "u"+u.Name+"x", "ac"+u.Account
		secret(u.Name)
	}
	for name := range seen {
		secrets = append(secrets, name)
	}
	slices.Sort(secrets)
	return secrets
}

// lawReport is the cycle of a partition, with refusals such as the gate writes about everything.
func lawReport(s *policy.Snapshot, plan *policy.Plan, name string) *cycle.Report {
	r := cycle.PartitionResult{Partition: bridge.Partition{Name: "batch", Mode: bridge.ModePreempt, Policy: name}, Snapshot: s, Plan: plan}
	for i := range s.Jobs {
		j, other := &s.Jobs[i], &s.Jobs[(i+1)%len(s.Jobs)]
		for _, why := range []string{
			fmt.Sprintf("job %s of the same gang cannot be stopped: user %s is exempt", other.Label(), other.User),
			fmt.Sprintf("jobs %s, %s and %s are stopped for it, of account %s", other.Label(), j.Label(), other.Label(), other.Account),
			fmt.Sprintf("jobs of account %s were stopped 3 times this hour, the most is 2", other.Account),
			fmt.Sprintf("jobs %d and %d share rank 7", j.ID, other.ID),
		} {
			r.Refusals = append(r.Refusals, bridge.Refusal{Job: j.ID, Invariant: invariant.StopBudget, Why: why})
		}
		r.WithheldReasons = append(r.WithheldReasons, fmt.Sprintf("5 jobs of %s were changed by somebody after us in the last hour (job %s)", other.User, other.Label()))
	}
	doubt := bridge.Doubt{Cause: bridge.CauseRewrites, Err: errors.New("job 700000002 of uannx: secrethost says no")}
	return &cycle.Report{Result: cycle.ResultInDoubt, Doubts: []bridge.Doubt{doubt}, PartitionResults: []cycle.PartitionResult{r}}
}

// noSlurm answers nothing.
type noSlurm struct{}

func (noSlurm) PeekJob(context.Context, int64) (slurm.Job, error) {
	return slurm.Job{}, errors.New("secrethost does not answer")
}
func (noSlurm) ReadPartitions(context.Context) ([]slurm.Partition, error) {
	return nil, errors.New("secrethost does not answer")
}

// newLawService answers from memory alone.
func newLawService(t *rapid.T, db *stores.Stores, p policy.Policy, name string, private api.Privacy) *answers.Service {
	t.Helper()
	return answers.New(answers.Config{Cluster: "test", MaxCycleAge: time.Hour, Partitions: []bridge.Partition{{Name: "batch", Mode: bridge.ModePreempt, Policy: name, DecidingPolicy: p}}},
		answers.Parts{Record: db, Slurm: noSlurm{}, Privacy: func() api.Privacy { return private }, Now: func() time.Time { return policytest.SnapshotTime }})
}

// Whatever a policy says and whatever is asked, nothing hidden is left in an answer.
func TestNothingHiddenIsInAnyAnswer(t *testing.T) {
	gone, err := accounting.Open(t.Context(), accounting.Config{DSN: "postgres:///none?host=/nonexistent"})
	must(t, err)
	t.Cleanup(gone.Close)
	db := stores.New(gone)
	for _, e := range catalogue.Systems() {
		t.Run(e.Name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				s := policytest.GenerateSnapshots().Draw(rt, "snapshot")
				secrets := recognisable(s)
				p, err := e.New(nil)
				must(t, err)
				plan, err := p.Decide(s)
				if err != nil || len(s.Jobs) == 0 {
					return
				}
				service := newLawService(rt, db, p, e.Name, api.AllPrivate("test"))
				service.NoteCycle(lawReport(s, plan, e.Name))
				for what, text := range lawAnswers(t, service, s) {
					for _, secret := range append(secrets, "secrethost") {
						if strings.Contains(text, secret) {
							rt.Fatalf("%s tells %q: %s", what, secret, text)
						}
					}
				}
			})
		})
	}
}

// lawAnswers are all answers that the viewer gets, as JSON, and errors as text.
func lawAnswers(t *testing.T, service *answers.Service, s *policy.Snapshot) map[string]string {
	t.Helper()
	ctx, zoe := t.Context(), api.Viewer{User: lawUser, Role: api.RoleUser}
	texts := map[string]string{}
	note := func(what string, answer any, err error) {
		if texts[what] = jsonOf(t, answer); err != nil {
			texts[what] = err.Error()
		}
	}
	q, err := service.Queue(ctx, zoe, api.QueueQuery{})
	note("queue", q, err)
	q, err = service.Queue(ctx, zoe, api.QueueQuery{States: []string{"RUNNING", "PENDING"}, Limit: 3})
	note("page", q, err)
	n, err := service.Nodes(ctx, zoe, api.NodeQuery{})
	note("nodes", n, err)
	shares, err := service.Shares(ctx, zoe)
	note("shares", shares, err)
	policies, err := service.Policies(ctx, zoe)
	note("policies", policies, err)
	health, err := service.Health(ctx)
	note("health", health, err)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.User == lawUser {
			a, err := service.Job(ctx, zoe, j.Label())
			note("job "+j.Label(), a, err)
			if err != nil {
				t.Fatalf("job %s: %v", j.Label(), err)
			}
		}
	}
	return texts
}
