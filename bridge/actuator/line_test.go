package actuator

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestAHiddenValueIsSentAgainAfterAStart: slurmctld was started since a site factor was sent, which
// nothing shows. It is believed as far as the priority shows it.
func TestAHiddenValueIsSentAgainAfterAStart(t *testing.T) {
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name     string
		start    time.Duration // after noon, when it was sent
		priority int64         // 10,000 before 400 were added
		shown    bool
		want     bool
	}{
		{"no start since", -time.Hour, 10_000, false, false},
		{"the priority shows it", time.Hour, 10_400, false, false},
		{"and has drifted since", time.Hour, 10_550, false, false},
		{"the priority is the one without it", time.Hour, 10_000, false, true},
		{"the priority is another", time.Hour, 12_000, false, true},
		{"it is shown", time.Hour, 10_000, true, false},
	} {
		in := &bridge.Intent{Sent: noon, State: bridge.IntentObserved, Edit: slurm.Edit{Kind: slurm.EditSiteFactor, Value: 400}, Before: bridge.JobBefore{Priority: 10_000}}
		p := &linePlace{standingIntent: in, job: &slurm.Job{State: "PENDING", Priority: tt.priority, SiteFactor: 400, IsSiteFactorKnown: tt.shown}}
		g := &PartitionGoal{View: &slurm.View{ControllerStart: noon.Add(tt.start)}}
		if got := siteFactorLever.isValueInDoubt(g, p); got != tt.want {
			t.Errorf("%s: in doubt %v, want %v", tt.name, got, tt.want)
		}
	}
	if siteFactorLever.isValueInDoubt(&PartitionGoal{View: &slurm.View{ControllerStart: noon}}, &linePlace{}) {
		t.Error("no value of ours is in doubt")
	}
}
