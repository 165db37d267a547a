package catalogue_test

import (
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// idle is a cluster of which nothing is used, with two nodes of each type.
func idle(types ...string) *policy.Snapshot {
	s := &policy.Snapshot{Seq: 1, Now: policytest.SnapshotTime}
	for i, typ := range types {
		for _, half := range []string{"a", "b"} {
			s.Nodes = append(s.Nodes, policy.Node{Name: string(rune('1'+i)) + half, Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1e6,
				GPUs: []policy.NodeDevices{{Type: typ, Count: 1}}})
		}
	}
	return s
}

func waiting(id policy.JobID, typ string) policy.Job {
	at := policytest.SnapshotTime.Add(-time.Hour + time.Duration(id)*time.Minute)
	return policy.Job{ID: id, User: "ann", Account: "nlp", Partition: "gpu", State: policy.Pending, Arrive: at, Submit: at, Limit: 10 * time.Hour,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: typ, Count: 1}}}
}

func trains(j policy.Job, rates ...policy.Rate) policy.Job {
	j.Training = &policy.Training{Steps: 1e6, Rates: rates}
	return j
}

// speedCases: where job 1, which takes any GPU, starts on a cluster that is idle.
var speedCases = map[string]struct {
	snapshot *policy.Snapshot
	jobs     []policy.Job
	want     string
}{
	"by the common table":               {idle("k80", "p100", "v100"), []policy.Job{waiting(1, "")}, "v100"},
	"h100 before a100":                  {idle("a100", "h100"), []policy.Job{waiting(1, "")}, "h100"},
	"drivers' names":                    {idle("NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3"), []policy.Job{waiting(1, "")}, "NVIDIA H100 80GB HBM3"},
	"unknown types last":                {idle("a_big_one", "k80"), []policy.Job{waiting(1, "")}, "k80"},
	"unknown types by name":             {idle("huge", "big"), []policy.Job{waiting(1, "")}, "big"},
	"a speed for all types":             {idle("k80", "v100"), []policy.Job{trains(waiting(1, ""), policy.Rate{StepsPerSecond: 3})}, "v100"},
	"its own speeds":                    {idle("k80", "p100", "v100"), []policy.Job{trains(waiting(1, ""), policy.Rate{Type: "k80", StepsPerSecond: 1}, policy.Rate{Type: "p100", StepsPerSecond: 5}, policy.Rate{Type: "v100", StepsPerSecond: 4})}, "p100"},
	"the site's":                        {with(idle("h100", "site_x"), policy.Speed{Type: "site_x", Speed: 4000}), []policy.Job{waiting(1, "")}, "site_x"},
	"the site's over the table's":       {with(idle("k80", "v100"), policy.Speed{Type: "k80", Speed: 500}), []policy.Job{waiting(1, "")}, "k80"},
	"what another insists on is left":   {idle("k80", "p100", "v100"), []policy.Job{waiting(1, ""), waiting(2, "v100"), waiting(3, "v100")}, "p100"},
	"one is enough for who insists":     {idle("k80", "p100", "v100"), []policy.Job{waiting(1, ""), waiting(2, "v100")}, "v100"},
	"nothing else serves":               {idle("v100"), []policy.Job{waiting(1, ""), waiting(2, "v100"), waiting(3, "v100")}, "v100"},
	"who insists may never have it":     {idle("k80", "v100"), []policy.Job{waiting(1, ""), tooWide(waiting(2, "v100"))}, "v100"},
	"who insists may not start anyway":  {idle("k80", "v100"), []policy.Job{waiting(1, ""), heldBack(waiting(2, "v100")), heldBack(waiting(3, "v100"))}, "v100"},
	"all the others run at their speed": {idle("k80", "p100", "v100"), []policy.Job{waiting(1, ""), waiting(2, "k80")}, "v100"},
}

func with(s *policy.Snapshot, v ...policy.Speed) *policy.Snapshot {
	s.Speeds = v
	return s
}

func tooWide(j policy.Job) policy.Job {
	j.Ask.GPUs.Count = 3
	return j
}

func heldBack(j policy.Job) policy.Job {
	j.HeldReason = "held by its owner"
	return j
}

// otherwise are the policies that decide by more than speed.
var otherwise = map[string]map[string]string{
	"its own speeds": {"gandiva-fair": "the account's tickets on each type decide"},
	"what another insists on is left": {"gandiva-fair": "so they do here", "harmony": "its search weighs nodes and not which types others insist on", "harmony-rl": "so does its network", "proportional": "every job has its part of every type",
		"sia": "a job on its fastest type is worth more than two that have any"},
	"nothing else serves": {"harmony-rl": "its network places another job first", "mlf-rl": "its network ranks another job first", "shockwave": "its window begins with another job"},
}

// A job that takes any GPU starts on the fastest free one, whatever the policy.
func TestFastestFirst(t *testing.T) {
	for name, c := range speedCases {
		for _, e := range catalogue.Systems() {
			t.Run(name+"/"+e.Name, func(t *testing.T) {
				if why := otherwise[name][e.Name]; why != "" {
					t.Skip(why)
				}
				p, err := e.New(nil)
				if err != nil {
					t.Fatal(err)
				}
				s := c.snapshot.Clone()
				s.Jobs = c.jobs
				plan, err := p.Decide(s)
				if err != nil {
					t.Fatal(err)
				}
				if err := plan.Check(s); err != nil {
					t.Fatal(err)
				}
				if d := plan.Decisions[0]; d.Verb != policy.Start || d.On.FirstType() != c.want {
					t.Errorf("%s on %v, want a start on %s: %s", d.Verb, d.On, c.want, d.Why)
				}
			})
		}
	}
}
