package antman_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/antman"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newJob is a job of an account that asks for so many GPUs and has waited for half an hour.
func newJob(id policy.JobID, account string, gpus int) policy.Job {
	return policy.Job{ID: id, User: "u", Account: account, Partition: "p", State: policy.Pending, Arrive: now.Add(time.Duration(id)*time.Second - time.Hour/2),
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "v100", Count: gpus}}, Shareable: true,
		Sharing: &policy.Sharing{AcceptsOtherUsers: true, MemMB: 4096, Utilisation: policy.KnownValue(.2)}}
}

func opportunistic(j policy.Job) policy.Job { j.Sharing.IsOpportunistic = true; return j }

// on lets the job run since a time on devices of a node.
func on(j policy.Job, ago time.Duration, node string, devices ...int) policy.Job {
	j.State, j.Start = policy.Running, now.Add(-ago)
	j.On = policy.Alloc{{Node: node, Type: "v100", Count: len(devices), Devices: policy.NewDeviceSet(devices...)}}
	return j
}

// cluster has two nodes of two GPUs, half of them guaranteed to each of the accounts a and b.
func cluster(jobs ...policy.Job) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Accounts: []policy.Account{{Name: "a"}, {Name: "b"}}, Jobs: jobs}
	for _, n := range []string{"n1", "n2"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: n, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: 2, MemMB: 32768}}})
	}
	return s
}

func decide(t *testing.T, s *policy.Snapshot, params paper.Params) (string, *policy.Plan) {
	t.Helper()
	plan, err := policytest.NewPolicy(t, antman.System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range plan.Decisions {
		text := fmt.Sprintf("%d %s", d.Job, d.Verb)
		if d.Verb == policy.Start && d.On[0].Devices != 0 {
			text += fmt.Sprintf(" on %v", d.On)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; "), plan
}

// young arrived a minute ago.
func young(j policy.Job) policy.Job { j.Arrive = now.Add(-time.Minute); return j }

func fixed(j policy.Job) policy.Job { j.UnstoppableReason = "its owner says so"; return j }

func alone(j policy.Job) policy.Job { j.Shareable = false; return j }

// TestClasses: who runs within the quota, who on what is left, and who waits.
func TestClasses(t *testing.T) {
	for name, c := range map[string]struct {
		jobs   []policy.Job
		params paper.Params
		want   string
	}{
		"beyond the quota":               {[]policy.Job{newJob(1, "a", 2), newJob(2, "a", 2)}, nil, "1 start; 2 start"},
		"it has not waited long":         {[]policy.Job{newJob(1, "a", 2), young(newJob(2, "a", 2))}, nil, "1 start; 2 hold"},
		"it may not be stopped":          {[]policy.Job{newJob(1, "a", 2), fixed(newJob(2, "a", 2))}, nil, "1 start; 2 hold"},
		"nor when its owner wants":       {[]policy.Job{newJob(1, "a", 2), fixed(opportunistic(newJob(2, "a", 2)))}, nil, "1 start; 2 hold"},
		"quotas alone":                   {[]policy.Job{newJob(1, "a", 2), opportunistic(newJob(2, "a", 2))}, paper.Params{"opportunistic": false}, "1 start; 2 hold"},
		"opportunistic counts to none":   {[]policy.Job{opportunistic(newJob(1, "a", 2)), newJob(2, "a", 2)}, nil, "1 start; 2 start"},
		"a quota that is given":          {[]policy.Job{newJob(1, "a", 2), young(newJob(2, "a", 2))}, paper.Params{"quotas": "a:4"}, "1 start; 2 start"},
		"it waited too long":             {[]policy.Job{newJob(1, "a", 2), fixed(newJob(2, "a", 2))}, paper.Params{"max_wait": "10m"}, "1 start; 2 start"},
		"guaranteed ones go first":       {[]policy.Job{alone(opportunistic(newJob(1, "a", 2))), alone(newJob(2, "a", 2)), alone(newJob(3, "b", 2))}, nil, "1 wait; 2 start; 3 start"},
		"and take what they need":        {[]policy.Job{on(opportunistic(newJob(1, "a", 2)), time.Hour, "n1", 0, 1), on(newJob(2, "a", 2), time.Hour, "n2", 0, 1), alone(newJob(3, "b", 1))}, nil, "1 stop; 2 keep; 3 start"},
		"the last to start leaves first": {[]policy.Job{on(opportunistic(newJob(1, "a", 1)), time.Minute, "n1", 0), on(opportunistic(newJob(2, "a", 1)), time.Hour, "n1", 1), on(newJob(3, "a", 2), time.Hour, "n2", 0, 1), alone(newJob(4, "b", 1))}, nil, "1 stop; 2 keep; 3 keep; 4 start"},
		"stopped too often":              {[]policy.Job{newJob(1, "a", 2), stopped(newJob(2, "a", 2))}, paper.Params{"max_stops": 3}, "1 start; 2 hold"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := decide(t, cluster(c.jobs...), c.params); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestBeyondQuota: a job that its account's quota is never enough for runs on what guaranteed
// ones leave, one at a time and while its account uses nothing else; it need not wait where it may be stopped.
func TestBeyondQuota(t *testing.T) {
	idle, large := policy.Job{}, fixed(newJob(2, "a", 3))
	oneGPU := on(newJob(1, "a", 1), time.Hour, "n1", 0)
	twoGPUs := on(opportunistic(newJob(1, "b", 2)), time.Hour, "n1", 0, 1)
	part := paper.Params{"quotas": "a:0.5"}
	for name, c := range map[string]struct {
		first, second policy.Job
		params        paper.Params
		want          string
	}{
		"alone":                     {idle, large, nil, "2 start"},
		"one at a time":             {fixed(newJob(1, "a", 1)), fixed(newJob(2, "a", 1)), part, "1 start; 2 hold"},
		"after guaranteed ones":     {alone(newJob(1, "b", 2)), large, nil, "1 start; 2 wait"},
		"though they came later":    {fixed(newJob(1, "a", 3)), alone(newJob(2, "b", 2)), nil, "1 wait; 2 start"},
		"before opportunistic ones": {twoGPUs, large, nil, "1 stop; 2 start"},
		"its account uses a GPU":    {oneGPU, large, nil, "1 keep; 2 hold"},
		"quotas alone":              {idle, newJob(2, "a", 3), paper.Params{"opportunistic": false}, "2 start"},
		"it may be stopped":         {idle, young(newJob(2, "a", 3)), nil, "2 start"},
		"and its account uses one":  {oneGPU, young(newJob(2, "a", 3)), nil, "1 keep; 2 start"},
	} {
		t.Run(name, func(t *testing.T) {
			jobs := []policy.Job{c.first, c.second}
			if c.first.ID == 0 {
				jobs = jobs[1:]
			}
			if got, _ := decide(t, cluster(jobs...), c.params); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func stopped(j policy.Job) policy.Job { j.StopCount = 3; return j }

// full are guaranteed jobs on all GPUs, each on one of a node, and one that wants so many.
func full(j policy.Job) *policy.Snapshot {
	return cluster(on(newJob(1, "a", 1), time.Hour, "n1", 0), on(newJob(2, "a", 1), time.Hour, "n1", 1), on(newJob(3, "b", 1), time.Hour, "n2", 0), on(newJob(4, "b", 1), time.Hour, "n2", 1), j)
}

// TestBeside: an opportunistic job joins the least busy GPUs of guaranteed ones, which must be as many as it
// asks, and where they lie if that is allowed.
func TestBeside(t *testing.T) {
	busy := func(s *policy.Snapshot, shares ...float64) *policy.Snapshot {
		for i, u := range shares {
			s.Jobs[i].Sharing.Utilisation = policy.KnownValue(u)
		}
		return s
	}
	oneNode := opportunistic(newJob(5, "a", 2))
	oneNode.Ask.MaxNodes = 1
	for name, c := range map[string]struct {
		snapshot *policy.Snapshot
		params   paper.Params
		want     string
	}{
		"the least busy":           {busy(full(opportunistic(newJob(5, "a", 1))), .3, .2, .1, .4), nil, "start on n2:1×v100[0]"},
		"a gang anywhere":          {busy(full(opportunistic(newJob(5, "a", 2))), .3, .2, .1, .4), nil, "start on n1:1×v100[1],n2:1×v100[0]"},
		"a gang on one node":       {busy(full(oneNode), .3, .2, .1, .4), nil, "start on n1:2×v100[0-1]"},
		"not enough of them":       {busy(full(opportunistic(newJob(5, "a", 3))), .3, .2, .9, .9), nil, "wait"},
		"too busy":                 {busy(full(opportunistic(newJob(5, "a", 1))), .6, .7, .8, .9), nil, "wait"},
		"whoever minds":            {busy(full(opportunistic(newJob(5, "a", 1))), .6, .7, .8, .9), paper.Params{"slowdown": .5}, "start on n1:1×v100[0]"},
		"none may share":           {full(opportunistic(newJob(5, "a", 1))), paper.Params{"share": false}, "wait"},
		"less memory":              {full(opportunistic(newJob(5, "a", 1))), paper.Params{"memory": 4095}, "wait"},
		"a guaranteed one may not": {full(newJob(5, "a", 1)), paper.Params{"quotas": "a:9"}, "wait"},
		"its owner minds":          {full(alone(opportunistic(newJob(5, "a", 1)))), nil, "wait"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := decide(t, c.snapshot, c.params)
			if want := "1 keep; 2 keep; 3 keep; 4 keep; 5 " + c.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestHurt: a guaranteed job that is seen to be slower beside an opportunistic one is rid of it, and gets
// none again.
func TestHurt(t *testing.T) {
	for speed, want := range map[float64]string{.96: "keep", .9: "stop"} {
		s := full(on(opportunistic(newJob(5, "a", 1)), 5*time.Minute, "n1", 0))
		s.Jobs[0].Training = &policy.Training{Steps: 1e6, StepsDone: 1000, Rates: []policy.Rate{{Type: "v100", StepsPerSecond: 2}}}
		_, first := decide(t, s, nil)
		s.Memo, s.Now = first.Memo, s.Now.Add(100*time.Second)
		s.Jobs[0].Training.StepsDone += 200 * speed
		got, next := decide(t, s, nil)
		if got != "1 keep; 2 keep; 3 keep; 4 keep; 5 "+want {
			t.Errorf("speed %v: %s", speed, got)
		}
		if want == "stop" {
			s = policytest.ApplyPlan(s, next)
			for i := range s.Jobs[1:4] {
				s.Jobs[i+1].Shareable = false
			}
			if again, _ := decide(t, s, nil); !strings.HasSuffix(again, "5 wait") {
				t.Errorf("it is there again: %s", again)
			}
		}
	}
}

// TestStaysGuaranteed: a job that runs as a guaranteed one stays so, though another of its account that
// started before would now have the quota; a job that runs on what others left is guaranteed when there is quota.
func TestStaysGuaranteed(t *testing.T) {
	s := cluster(on(newJob(1, "a", 1), 3*time.Hour, "n1", 0), on(newJob(2, "a", 2), 2*time.Hour, "n2", 0, 1), newJob(3, "a", 1))
	got, plan := decide(t, s, nil)
	if got != "1 keep; 2 keep; 3 start" {
		t.Fatal(got)
	}
	s = policytest.ApplyPlan(s, plan)
	s.Jobs = append(s.Jobs[1:], alone(newJob(4, "b", 2))) // job 1 has ended
	s.Jobs[1].On[0].Devices = policy.NewDeviceSet(1)
	if got, _ := decide(t, s, nil); got != "2 stop; 3 keep; 4 start" {
		t.Errorf("%s: job 3 was guaranteed first", got)
	}
	s.Jobs = append(s.Jobs[:1], alone(newJob(4, "b", 2)), alone(newJob(5, "b", 2)))
	if got, _ := decide(t, s, nil); got != "2 keep; 4 start; 5 hold" && got != "2 keep; 4 start; 5 wait" {
		t.Errorf("%s: job 2 is guaranteed by now", got)
	}
}

func TestGarbledMemo(t *testing.T) {
	_, err := policytest.NewPolicy(t, antman.System().New, nil).Decide(&policy.Snapshot{Memo: policy.MemoFromJSON([]byte(`{"guaranteed":3}`))})
	if err == nil || !strings.HasPrefix(err.Error(), "policy antman: reading what was remembered: ") {
		t.Error(err)
	}
}
