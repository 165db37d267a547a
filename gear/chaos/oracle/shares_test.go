package oracle

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestSharedGPU: shards that the owner of a job did not accept, or where it is not bound, are seen.
func TestSharedGPU(t *testing.T) {
	for _, c := range []struct {
		name string
		spec sim.JobSpec
		want bool // I24 is broken
	}{
		{"opted in, bound", sim.JobSpec{GPUsPerNode: 1, Comment: "fairbridge:shareable,gpu_mem=2G", RequiredNodes: []string{"n1"}}, false},
		{"not opted in", sim.JobSpec{GPUsPerNode: 1, RequiredNodes: []string{"n1"}}, true},
		{"bound elsewhere", sim.JobSpec{GPUsPerNode: 1, Comment: "fairbridge:shareable", RequiredNodes: []string{"n2"}}, true},
		{"an array", sim.JobSpec{GPUsPerNode: 1, ArraySize: 2, Comment: "fairbridge:shareable", RequiredNodes: []string{"n1"}}, true},
	} {
		o := judge(t, c.spec, nil)
		o.Site.Mode = bridge.ModeShare
		k := &Call{SentBy: o.daemon(t), Edit: slurm.Edit{Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n1"}}}
		k.Edit.Run.Job = o.job
		o.CheckSend(k)
		if got := slices.Contains(o.rules(), "I24"); got != c.want {
			t.Errorf("%s: broken %t, want %t: %v", c.name, got, c.want, o.Verdict().Breaches)
		}
	}
}

// TestWaitingSharers: shards where somebody waits for some who does not accept the job, or that a daemon knows only by old records.
func TestWaitingSharers(t *testing.T) {
	for _, c := range []struct {
		name   string
		other  sim.JobSpec
		isFull bool
		want   bool // I24 is broken
	}{
		{"of its user", sim.JobSpec{Shards: 2}, true, false},
		{"of another, who asks for shards", sim.JobSpec{User: "bob", Shards: 2}, true, true},
		{"of another, who asks for too many", sim.JobSpec{User: "bob", Shards: 3}, true, false},
		{"of another, elsewhere", sim.JobSpec{User: "bob", Shards: 2, RequiredNodes: []string{"n2"}}, true, false},
		{"of another, who accepts others", sim.JobSpec{User: "bob", Shards: 2, Comment: "fairbridge:shareable=others"}, true, false},
	} {
		o := judge(t, sim.JobSpec{GPUsPerNode: 1, Comment: "fairbridge:shareable=others,gpu_mem=2000M", RequiredNodes: []string{"n1"}}, nil)
		o.Site.Mode, o.Site.SharesGPUs, o.Site.ShardsPerGPU, o.Site.SharesBetweenUsers = bridge.ModeShare, true, 4, true
		if own, _ := o.World.Job(o.job); c.other.User == "" {
			c.other.User = own.User
		}
		id, err := o.World.Submit(withWork(c.other))
		if err != nil {
			t.Fatal(err)
		}
		k := &Call{SentBy: o.daemon(t), Edit: slurm.Edit{Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n1"}}}
		j, _ := o.World.Job(id)
		k.SentBy.LastReadJobs = map[int64]slurm.Job{id: j}
		k.Edit.Run.Job = o.job
		o.CheckSend(k)
		if got := slices.Contains(o.rules(), "I24"); got != c.want {
			t.Errorf("%s: broken %t, want %t: %v", c.name, got, c.want, o.Verdict().Breaches)
		}
	}
}

func withWork(s sim.JobSpec) sim.JobSpec {
	s.WorkTime, s.BeginTime = time.Hour, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	return s
}

// TestNeighbourProblems: jobs that are on one GPU by shards of ours and should not be.
func TestNeighbourProblems(t *testing.T) {
	o := judge(t, sim.JobSpec{}, nil)
	eve, bob := shareTerms{user: "eve", opted: true, memMB: 10_000}, shareTerms{user: "bob", opted: true, others: true, memMB: 10_000}
	more := func(a shareTerms) shareTerms { a.memMB, a.others = 29_500, true; return a }
	for _, c := range []struct {
		name    string
		jobs    []shareTerms
		between bool
		want    string
	}{
		{"one", []shareTerms{more(eve)}, false, ""},
		{"two of hers", []shareTerms{eve, eve}, false, ""},
		{"three", []shareTerms{eve, eve, eve}, false, "3 jobs"},
		{"two users, one says yes", []shareTerms{eve, bob}, true, "accept"},
		{"two users, both say yes", []shareTerms{more(eve), {user: "bob", opted: true, others: true, memMB: 2_000}}, true, ""},
		{"not in this partition", []shareTerms{more(eve), bob}, false, "accept"},
		{"memory", []shareTerms{more(eve), bob}, true, "39500 MB"},
		{"one did not opt in", []shareTerms{eve, {user: "eve"}}, true, "accept"},
	} {
		o.Site.SharesBetweenUsers = c.between
		if got := o.neighbourProblem(c.jobs); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
