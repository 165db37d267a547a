package apollo

import (
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
)

// TestCost: with three times its time lost by failing, one of ten costs a fifth more, and one of two twice as much.
func TestCost(t *testing.T) {
	for _, c := range []struct {
		o    option
		k    float64
		want float64
	}{
		{option{success: .9, run: 20 * time.Minute}, 3, 1.2 * 20 * 60},
		{option{success: .5, wait: 5 * time.Minute, run: 10 * time.Minute}, 3, 30 * 60},
		{option{success: 1, wait: 5 * time.Minute, run: 10 * time.Minute}, 2, 15 * 60},
	} {
		if got := c.o.cost(c.k); got < c.want-1e-6 || got > c.want+1e-6 {
			t.Errorf("%+v costs %g s, want %g", c.o, got, c.want)
		}
	}
}

// types is a free node of type g and one of type h, of whose GPUs so many are faulty, that is busy for a while.
func types(hBusy time.Duration, sick int) *policy.Snapshot {
	now := policytest.SnapshotTime
	s := &policy.Snapshot{Now: now}
	for _, t := range []string{"g", "h"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: "n" + t, Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: t, Count: 2}}})
	}
	s.Nodes[1].GPUs[0].SickCount = sick
	s.Jobs = []policy.Job{{ID: 1, User: "u", Account: "a", Partition: "gpu", State: policy.Running, Arrive: now, Start: now, FirstStart: now, PredictedLeft: hBusy,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "h", Count: 2 - sick}}, On: policy.Alloc{{Node: "nh", Type: "h", Count: 2 - sick}}}}
	return s
}

// flexible waits, and takes so many minutes on g and on h.
func flexible(g, h float64) policy.Job {
	at := policytest.SnapshotTime.Add(-time.Minute)
	return policy.Job{ID: 2, User: "u", Account: "a", Partition: "gpu", State: policy.Pending, Arrive: at, Submit: at, Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}},
		Training: &policy.Training{Steps: 60, Rates: []policy.Rate{{Type: "g", StepsPerSecond: 1 / g}, {Type: "h", StepsPerSecond: 1 / h}}}}
}

func decide(t *testing.T, p policy.Policy, s *policy.Snapshot) (policy.Decision, *policy.Plan) {
	t.Helper()
	plan, err := p.Decide(s)
	if err == nil {
		err = plan.Check(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan.Decisions[1], plan
}

// TestRisk: half of h is faulty, so that 20 minutes on g cost less than 15 there.
func TestRisk(t *testing.T) {
	for sick, want := range []policy.Verb{policy.Wait, policy.Start} {
		s := types(5*time.Minute, sick)
		s.Jobs = append(s.Jobs, flexible(20, 10))
		if d, _ := decide(t, policytest.NewPolicy(t, System().New, nil), s); d.Verb != want && (want == policy.Start || d.Verb != policy.Hold) {
			t.Errorf("%d faulty: %s: %s", sick, d.Verb, d.Why)
		}
	}
}

// TestCorrects: a plan for h, free in five minutes, slips by an hour. It stands for the first ten minutes, and is corrected then.
func TestCorrects(t *testing.T) {
	p := policytest.NewPolicy(t, System().New, nil)
	s := types(5*time.Minute, 0)
	s.Jobs = append(s.Jobs, flexible(20, 10))
	_, plan := decide(t, p, s)
	s.Memo, s.Jobs[0].PredictedLeft = plan.Memo, time.Hour
	s.Now = s.Now.Add(6 * time.Minute)
	d, plan := decide(t, p, s)
	if d.Verb == policy.Start {
		t.Errorf("after six minutes: %s: %s", d.Verb, d.Why)
	}
	s.Memo, s.Now = plan.Memo, s.Now.Add(5*time.Minute)
	if d, _ := decide(t, p, s); d.Verb != policy.Start || d.On.FirstType() != "g" {
		t.Errorf("after eleven minutes: %s: %s", d.Verb, d.Why)
	}
}

// TestOpportunistic: where GPUs are lent, a job that runs on what others leave has no plan, and delays none that has.
func TestOpportunistic(t *testing.T) {
	s := types(time.Hour, 0)
	s.RecallWithin = 5 * time.Minute
	s.Jobs[0].Sharing = &policy.Sharing{IsOpportunistic: true}
	s.Jobs = append(s.Jobs, flexible(40, 10))
	if d, _ := decide(t, policytest.NewPolicy(t, System().New, nil), s); d.Verb != policy.Start || d.On.FirstType() != "h" {
		t.Errorf("%s: %s", d.Verb, d.Why)
	}
}

func TestGarbledMemo(t *testing.T) {
	for _, memo := range []string{"{", `{"jobs":[2,1],"plans":[{},{}]}`, `{"jobs":[2],"plans":[]}`} {
		if _, err := policytest.NewPolicy(t, System().New, nil).Decide(&policy.Snapshot{Memo: policy.MemoFromJSON([]byte(memo))}); err == nil {
			t.Errorf("memo %s is taken", memo)
		}
	}
}
