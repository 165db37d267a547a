package rest

import (
	"slices"
	"testing"
)

// TestWholeListsAheadOfTime: a whole list is read in the next poll when one is asked for, and at once
// when jobs have ended for which Slurm kept another back, whose reason no state shows; not
// oftener than once in 6 ms for each job listed.
func TestWholeListsAheadOfTime(t *testing.T) {
	q := &queue{version: 45, jobs: map[int64]string{}, reason: map[int64]string{}}
	for id := int64(1); id <= 500; id++ { // 3 s
		q.jobs[id], q.reason[id] = "PENDING", "Priority"
	}
	q.jobs[1], q.jobs[2], q.jobs[3], q.jobs[4] = "RUNNING", "RUNNING", "RUNNING", "RUNNING"
	c := open(t, q, PollConfig{})
	for _, step := range []struct {
		name   string
		change func()
		whole  bool
		reason string // shown of job 9
	}{
		{"first", func() {}, true, "Priority"},
		{"another reason, without a sign", func() { q.now += 3; q.reason[9] = "Licenses" }, false, "Priority"},
		{"asked for", func() { q.now++; c.RequestFullRead() }, true, "Licenses"},
		{"once", func() { q.now += 3 }, false, "Licenses"},
		{"asked for", func() { c.RequestFullRead() }, true, "Licenses"},
		{"too soon", func() { q.now += 2; c.RequestFullRead() }, false, "Licenses"},
		{"nobody asks any more", func() { q.now += 2 }, false, "Licenses"},
		{"a job starts", func() { q.jobs[5] = "RUNNING" }, false, "Licenses"},
		{"the licence is free", func() { q.jobs[1] = "COMPLETED"; q.reason[9] = "Resources" }, true, "Resources"},
		{"a job ends, none waits for that", func() { q.now += 3; q.jobs[2] = "COMPLETED"; q.reason[9] = "QOSMaxGRESPerUser" }, false, "Resources"},
		{"five minutes on", func() { q.now += 300 }, true, "QOSMaxGRESPerUser"},
		{"a job ends, too soon", func() { q.now++; q.jobs[3] = "COMPLETED"; q.reason[9] = "Resources" }, false, "QOSMaxGRESPerUser"},
		{"its end is not forgotten", func() { q.now += 2 }, true, "Resources"},
		{"never to start", func() { q.now += 300; q.reason[9] = "DependencyNeverSatisfied" }, true, "DependencyNeverSatisfied"},
		{"whatever ends", func() { q.now += 3; delete(q.jobs, 4) }, false, "DependencyNeverSatisfied"},
	} {
		q.set(step.change)
		q.took()
		v := observe(t, c)
		if whole := slices.Contains(q.took(), "jobs"); whole != step.whole || v.IsFullRead != whole || v.Job(9).Reason != step.reason {
			t.Errorf("%s: whole list %t (said %t), job 9 waits for %s", step.name, whole, v.IsFullRead, v.Job(9).Reason)
		}
	}
}
