package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

func TestAHandBackThatWasCutOffStaysOpen(t *testing.T) {
	held := func(j *slurm.Job) { j.IsHeld, j.Priority, j.Reason = true, 0, "JobHeldAdmin" }
	proven := func(in *bridge.Intent) { in.Before.HeldByUsAt = noon }
	unproven := func(*bridge.Intent) {}
	tests := []struct {
		name  string
		state bridge.IntentState
		in    func(*bridge.Intent)
		job   func(*slurm.Job)
		after time.Duration
		want  bridge.IntentState
		count int
		ours  bool
	}{
		{"seen held within seconds", bridge.IntentSent, unproven, held, 5 * time.Second, bridge.IntentSent, 1, true},
		{"seen held just in time", bridge.IntentSent, unproven, held, 15 * time.Second, bridge.IntentSent, 1, true},
		{"seen held just too late", bridge.IntentSent, unproven, held, 16 * time.Second, bridge.IntentSent, 1, false},
		{"seen held later: whose is it", bridge.IntentSent, unproven, held, 2 * time.Hour, bridge.IntentSent, 1, false},
		{"no answer, seen held later", bridge.IntentUnknown, unproven, held, 2 * time.Hour, bridge.IntentUnknown, 1, false},
		{"hold accepted, seen hours later", bridge.IntentSent, proven, held, 2 * time.Hour, bridge.IntentSent, 1, true},
		{"hold accepted, release failed", bridge.IntentUnknown, proven, held, 2 * time.Hour, bridge.IntentUnknown, 1, true},
		{"hold accepted, a day ago", bridge.IntentSent, proven, held, 25 * time.Hour, bridge.IntentFailed, 0, false},
		{"hold accepted, free now", bridge.IntentSent, proven, same, 2 * time.Hour, bridge.IntentObserved, 0, false},
		{"unproven, free now", bridge.IntentSent, unproven, func(j *slurm.Job) { j.Priority = 77 }, 2 * time.Hour, bridge.IntentObserved, 0, false},
		{"held by its owner: an administrator freed it", bridge.IntentSent, proven, func(j *slurm.Job) { held(j); j.Reason = "JobHeldUser" }, time.Minute, bridge.IntentSent, 0, false},
		{"answered: the hold is somebody's", bridge.IntentAcked, unproven, held, 5 * time.Second, bridge.IntentAcked, 0, false},
		{"another run", bridge.IntentSent, proven, func(j *slurm.Job) { held(j); j.Restarts++ }, time.Minute, bridge.IntentSent, 0, false},
		{"running", bridge.IntentSent, proven, func(j *slurm.Job) { j.State = "RUNNING" }, time.Minute, bridge.IntentObserved, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := intent(slurm.EditHandBackPriority, tt.state)
			tt.in(&in)
			j := waiting()
			tt.job(&j)
			v := &slurm.View{At: noon.Add(tt.after), Jobs: []slurm.Job{j}}
			got := ReplaceChangedIntents([]bridge.Intent{in}, SettleIntents([]bridge.Intent{in}, v, v.At))
			if got[0].State != tt.want {
				t.Errorf("%s (%s), want %s", got[0].State, got[0].Error, tt.want)
			}
			list := UnfinishedHandBacks(got, v)
			if len(list) != tt.count || len(list) > 0 && list[0].Ours != tt.ours {
				t.Errorf("unfinished %+v, want %d, ours %v", list, tt.count, tt.ours)
			}
		})
	}
}
