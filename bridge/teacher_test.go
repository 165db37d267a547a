package bridge_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// named is a policy that is told apart by its name.
type named string

// Decide implements policy.Policy.
func (named) Decide(*policy.Snapshot) (*policy.Plan, error) { return &policy.Plan{}, nil }

// TestTeacherDecides while the very policy that learnt is demoted, and not for one with other parameters,
// of another partition, or where a candidate of that name is.
func TestTeacherDecides(t *testing.T) {
	p := bridge.Partition{Name: "gpu", Mode: bridge.ModeObserve, Policy: "dl2", DecidingPolicy: named("network"), Teacher: &bridge.Teacher{Params: "by=teacher", DecidingPolicy: named("teacher")}}
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		d    bridge.Demotion
		want named
	}{
		{bridge.Demotion{Partition: "gpu", Candidate: "dl2", By: bridge.TeacherGuardName}, "teacher"},
		{bridge.Demotion{Partition: "gpu", Candidate: "dl2 step=2", By: bridge.TeacherGuardName}, "network"},
		{bridge.Demotion{Partition: "other", Candidate: "dl2", By: bridge.TeacherGuardName}, "network"},
		{bridge.Demotion{Partition: "gpu", Candidate: "dl2", By: "ann"}, "network"},
		{bridge.Demotion{Partition: "gpu", By: "ann"}, "network"},
	} {
		got := p.DecidedUnder([]bridge.Demotion{c.d}, now)
		if got.DecidingPolicy != c.want || (got.Params == "by=teacher") != (c.want == "teacher") || got.Policy != "dl2" || got.Mode != bridge.ModeObserve {
			t.Errorf("%+v: %+v", c.d, got)
		}
	}
	if p.PolicyOf("dl2", "by=teacher") != named("teacher") || p.PolicyOf("dl2", "") != named("network") {
		t.Error("a record names another policy")
	}
	if p.Teacher = nil; bridge.FindLearnerDemotion([]bridge.Demotion{{Partition: "gpu", Candidate: "dl2", By: bridge.TeacherGuardName}}, &p) != nil {
		t.Error("a policy that learnt from none gives way")
	}
	d := bridge.Demotion{Partition: "gpu", Candidate: "dl2", By: bridge.TeacherGuardName, Why: "Jobs took longer."}
	if got := d.Text(); !strings.HasPrefix(got, "policy dl2 of partition gpu is demoted, and its teacher decides, by the guard of what is learnt since") {
		t.Error(got)
	}
}
