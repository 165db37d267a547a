package allox_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/allox"
)

// twoTypes is a cluster of one GPU of type g and one of type h.
func twoTypes(jobs ...policy.Job) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Jobs: jobs}
	for _, typ := range []string{"g", "h"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: "n" + typ, Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: typ, Count: 1}}})
	}
	return s
}

// profiled is a job of 100 steps that takes so many hours on g and on h.
func profiled(id policy.JobID, user string, g, h float64) policy.Job {
	return policy.Job{ID: id, User: user, Account: user, Partition: "gpu", State: policy.Pending,
		Arrive: policytest.SnapshotTime.Add(time.Duration(id-100) * time.Second), Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}},
		Training: &policy.Training{Steps: 100, Rates: []policy.Rate{{Type: "g", StepsPerSecond: 100 / g / 3600}, {Type: "h", StepsPerSecond: 100 / h / 3600}}}}
}

func runsOn(j policy.Job, node string) policy.Job {
	j.State, j.Start = policy.Running, policytest.SnapshotTime.Add(-time.Hour)
	j.On = policy.Alloc{{Node: node, Type: strings.TrimPrefix(node, "n"), Count: 1}}
	return j
}

// summary prints who starts where, and the others by rank.
func summary(t *testing.T, p policy.Policy, s *policy.Snapshot) string {
	t.Helper()
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	words := make([]string, len(plan.Decisions))
	for _, d := range plan.Decisions {
		words[d.Rank-1] = strings.TrimSpace(fmt.Sprintf("%d %s %v", d.Job, d.Verb, d.On))
	}
	return strings.Join(words, ", ")
}

func TestAlloXOfTheBrief(t *testing.T) {
	for name, c := range map[string]struct {
		s     *policy.Snapshot
		alpha float64
		want  string
	}{
		"two free machines: 1 then 2 on g, 3 on h": {twoTypes(profiled(1, "a", 1, 2), profiled(2, "a", 2, 8), profiled(3, "a", 3, 4)), 1,
			"1 start ng:1×g, 3 start nh:1×h, 2 wait"},
		"g is free in an hour: 1 then 3 on g, 2 on h": {twoTypes(profiled(1, "a", 2, 4), profiled(2, "a", 6, 7), profiled(3, "a", 4, 12),
			runsOn(profiled(4, "b", 1, 9), "ng")), 1, "4 keep ng:1×g, 2 start nh:1×h, 1 wait, 3 wait"},
		"all wait for the fast type rather than run on the slow one": {twoTypes(profiled(1, "a", 1, 50), runsOn(profiled(2, "b", 1, 9), "ng")), 1,
			"2 keep ng:1×g, 1 hold"},
		"the least served user first": {func() *policy.Snapshot {
			s := twoTypes(profiled(1, "rich", 1, 1), profiled(2, "poor", 9, 9), runsOn(profiled(3, "z", 1, 1), "ng"))
			s.Users = []policy.User{{Name: "poor", UsedService: 10}, {Name: "rich", UsedService: 99}}
			return s
		}(), 0.01, "3 keep ng:1×g, 2 start nh:1×h, 1 wait"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := summary(t, policytest.NewPolicy(t, allox.System().New, paper.Params{"alpha": c.alpha}), c.s); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestAlloXOneType wants shortest first, whatever the jobs report, and delays
// that are all equal to change nothing.
func TestAlloXOneType(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"},
			GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}}}}
		lengths := rng.Perm(12)
		for i, n := range lengths {
			j := profiled(policy.JobID(i+1), "a", float64(n+1), 1)
			if i%2 == 0 {
				j.Training, j.Limit = nil, time.Duration(n+1)*time.Hour
			}
			s.Jobs = append(s.Jobs, j)
		}
		plan, err := policytest.NewPolicy(t, allox.System().New, paper.Params{"alpha": 1.}).Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range plan.Decisions {
			if starts := d.Verb == policy.Start; starts != (lengths[i] < 4) || !starts && d.Rank != lengths[i]+1 {
				t.Fatalf("the %dth shortest job: %+v", lengths[i]+1, d)
			}
		}
	}
}

// TestAlloXHarnessMachines: the simulator's variant counts the machines that are
// only set aside, and asks whether a job has room with as many GPUs as it asks.
func TestAlloXHarnessMachines(t *testing.T) {
	maintained := twoTypes(profiled(1, "a", 10, 10), profiled(2, "a", 1, 100))
	maintained.Nodes[1].DownReason = "MAINTENANCE"
	maintained.Nodes[1].Windows = []policy.Window{{From: policytest.SnapshotTime.Add(-time.Hour), To: policytest.SnapshotTime.Add(time.Hour), IsUnderWay: true}}
	wide := runsOn(profiled(1, "a", 1, 1), "ng")
	wide.Ask.GPUs.Count = 4
	narrow := twoTypes(wide, profiled(2, "a", 10, 10))
	narrow.Nodes = narrow.Nodes[:1]
	for name, c := range map[string]struct {
		s    *policy.Snapshot
		want string
	}{
		"two compete for g and h, which is set aside": {maintained, "2 start ng:1×g, 1 wait"},
		"one that asks four runs on one":              {narrow, "2 start ng:1×g, 1 stop"},
	} {
		t.Run(name, func(t *testing.T) {
			p := policytest.NewPolicy(t, allox.System().New, paper.Params{"variant": "harness", "alpha": 0., "min_run": "1s"})
			if got := summary(t, p, c.s); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
