package ref_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/ref"
)

// refSnapshot is a node of 8 GPUs and 64 cores with two elastic jobs, and jobs
// of their classes that show elasticities of (.75, .25) and (.25, .75).
func refSnapshot() *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, CPUs: 64,
		GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}}}
	add := func(class string, gpus, cpus int, speed float64) *policy.Job {
		id := policy.JobID(len(s.Jobs) + 1)
		s.Jobs = append(s.Jobs, policy.Job{ID: id, User: "u", Account: class, Partition: "gpu", State: policy.Pending, Class: class,
			Arrive: policytest.SnapshotTime.Add(time.Duration(id-100) * time.Second), Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: gpus}, CPUs: cpus}})
		j := &s.Jobs[id-1]
		if speed > 0 {
			j.HeldReason, j.Training = "it only shows a profile", &policy.Training{Steps: 1, Rates: []policy.Rate{{Type: "g", StepsPerSecond: speed}}}
		}
		return j
	}
	for _, class := range []string{"a", "b"} {
		j := add(class, 2, 2, 0)
		j.MinGPUs, j.MaxGPUs = 1, 8
	}
	for _, x := range []struct {
		gpus, cpus int
		a, b       float64
	}{{1, 1, 1, 1}, {16, 1, 8, 2}, {1, 16, 2, 8}, {16, 16, 16, 16}} {
		add("a", x.gpus, x.cpus, x.a)
		add("b", x.gpus, x.cpus, x.b)
	}
	return s
}

func TestREFOfTheBrief(t *testing.T) {
	s := refSnapshot()
	plan, err := policytest.NewPolicy(t, ref.System().New, nil).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		gpus int
		why  string
	}{{6, "due 6.00 of 8 GPUs and 16.0 of 64 cores"}, {2, "due 2.00 of 8 GPUs and 48.0 of 64 cores"}} {
		if d := plan.Decisions[i]; d.Verb != policy.Start || d.GPUs != want.gpus || !strings.Contains(d.Why, want.why) {
			t.Errorf("%+v, want %d GPUs, %q", d, want.gpus, want.why)
		}
	}
	// The profiles are remembered when those who showed them are gone.
	s.Jobs, s.Memo = s.Jobs[:2], plan.Memo
	if plan, err = policytest.NewPolicy(t, ref.System().New, nil).Decide(s); err != nil || plan.Decisions[0].GPUs != 6 {
		t.Errorf("%v %+v", err, plan)
	}
	s.Memo = policy.Memo{}
	if plan, err = policytest.NewPolicy(t, ref.System().New, nil).Decide(s); err != nil || plan.Decisions[0].GPUs != 4 || plan.Decisions[1].GPUs != 4 {
		t.Errorf("without profiles: %v %+v", err, plan)
	}
}

// TestREFSteps lets a job keep its size where growing is not worth a restart,
// and shrinks it for one that came.
func TestREFSteps(t *testing.T) {
	s := refSnapshot()
	s.Jobs = s.Jobs[:2]
	run := &s.Jobs[0]
	run.State, run.Start, run.On = policy.Running, policytest.SnapshotTime.Add(-time.Hour), policy.Alloc{{Node: "n1", Type: "g", Count: 5}}
	for _, c := range []struct {
		step  float64
		alone bool
		want  int
	}{{2, true, 5}, {1, true, 8}, {2, false, 4}} {
		at := *s
		if c.alone {
			at.Jobs = s.Jobs[:1]
		}
		plan, err := policytest.NewPolicy(t, ref.System().New, paper.Params{"step": c.step}).Decide(&at)
		if err != nil {
			t.Fatal(err)
		}
		if d := plan.Decisions[0]; d.GPUs != c.want || (d.Verb == policy.Resize) != (c.want != 5) {
			t.Errorf("step %g, alone %v: %+v, want %d GPUs", c.step, c.alone, d, c.want)
		}
	}
}

func TestREFGarbledMemo(t *testing.T) {
	for _, memo := range []string{"{", `"x"`, `{"rows":[{"class":"a@g","gpus":0,"cpus":1,"speed":1}]}`} {
		_, err := policytest.NewPolicy(t, ref.System().New, nil).Decide(&policy.Snapshot{Memo: policy.MemoFromJSON([]byte(memo))})
		if err == nil || !strings.HasPrefix(err.Error(), "policy ref: reading what was remembered: ") {
			t.Errorf("memo %s: %v", memo, err)
		}
	}
}
