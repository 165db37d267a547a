package pcs_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/pcs"
)

// TestParameters wants lists that do not go together refused with what to give.
func TestParameters(t *testing.T) {
	for want, params := range map[string]paper.Params{
		"give one of them":    {"load": []float64{.1}, "thresholds": []float64{100.}},
		"2 shares for 2":      {"load": []float64{.1}, "shares": []float64{.5, .7}},
		"give parts below 1":  {"load": []float64{2.}},
		"leaves nothing to t": {"thresholds": []float64{100.}, "shares": []float64{1.}},
	} {
		_, err := policytest.NewPolicy(t, pcs.System().New, params).Decide(&policy.Snapshot{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", params, err, want)
		}
	}
}

// TestClassesStay: a job keeps the queue it came to while others come, and goes to a later one
// when it received more than its own stands for.
func TestClassesStay(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}}}
	s.Jobs = []policy.Job{{ID: 1, Partition: "gpu", State: policy.Pending, Arrive: s.Now.Add(-time.Minute), PredictedLeft: time.Hour, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}, MinGPUs: 1, MaxGPUs: 8}}
	p := policytest.NewPolicy(t, pcs.System().New, paper.Params{"thresholds": []float64{7200.}})
	for _, c := range []struct {
		left     time.Duration
		attained policy.GPUSeconds
		want     string
	}{{time.Hour, 0, "queue 1 of 2"}, {9 * time.Hour, 3600, "queue 1 of 2"}, {time.Hour, 9000, "queue 2 of 2"}, {time.Hour, 0, "queue 2 of 2"}} {
		s.Jobs[0].PredictedLeft, s.Jobs[0].Attained = c.left, c.attained
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if why := plan.Decisions[0].Why; !strings.Contains(why, c.want) {
			t.Errorf("%v left, %v attained: %s, want %s", c.left, c.attained, why, c.want)
		}
		s.Memo = plan.Memo
	}
}

func TestGarbledMemo(t *testing.T) {
	for _, memo := range []string{"{", `"x"`, `{"seen":[-1]}`, `{"jobs":[{"id":2,"class":0},{"id":1,"class":0}]}`, `{"jobs":[{"id":2,"class":-1}]}`} {
		_, err := policytest.NewPolicy(t, pcs.System().New, nil).Decide(&policy.Snapshot{Memo: policy.MemoFromJSON([]byte(memo))})
		if err == nil || !strings.HasPrefix(err.Error(), "policy pcs: reading what was remembered: ") {
			t.Errorf("memo %s: %v", memo, err)
		}
	}
}

// TestWhatIsFixedCounts: of six GPUs each of two queues is due three. One queue's jobs that may not be stopped hold
// two, so that of the four others it is due one more, and the other queue three.
func TestWhatIsFixedCounts(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 6}}}}}
	for id, left := range []time.Duration{time.Minute, time.Minute, 9 * time.Hour, 9 * time.Hour} {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(id + 1), Partition: "gpu", State: policy.Pending, Arrive: s.Now.Add(-time.Minute), PredictedLeft: left, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 2}}, MinGPUs: 1, MaxGPUs: 6})
	}
	fixed := &s.Jobs[0]
	fixed.State, fixed.Start, fixed.On, fixed.UnstoppableReason = policy.Running, s.Now.Add(-time.Minute), policy.Alloc{{Node: "n1", Type: "g", Count: 2}}, "not marked as requeueable"
	plan, err := policytest.NewPolicy(t, pcs.System().New, paper.Params{"thresholds": []float64{7200.}, "shares": []float64{.5}, "clip": 0.}).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for job, want := range map[int]string{1: "queue 1 of 2, and due 1.00 GPUs", 2: "queue 2 of 2, and due 3.00 GPUs"} {
		if why := plan.Decisions[job].Why; !strings.Contains(why, want) {
			t.Errorf("job %d: %s, want %s", job+1, why, want)
		}
	}
}
