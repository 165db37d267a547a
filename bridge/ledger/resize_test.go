package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

// TestSizesToResumeOn: a requeue for another size counts until the job starts, and no longer.
func TestSizesToResumeOn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*bridge.Intent, *slurm.Job)
		want   int64
	}{
		"waits since":         {func(*bridge.Intent, *slurm.Job) {}, 2},
		"requeued as it was":  {func(in *bridge.Intent, _ *slurm.Job) { in.Edit.Value = 0 }, 0},
		"not yet requeued":    {func(_ *bridge.Intent, j *slurm.Job) { j.Restarts = 0 }, 0},
		"runs again":          {func(_ *bridge.Intent, j *slurm.Job) { j.State = "RUNNING" }, 0},
		"requeued once more":  {func(_ *bridge.Intent, j *slurm.Job) { j.Restarts = 2 }, 0},
		"was not sent":        {func(in *bridge.Intent, _ *slurm.Job) { in.Sent, in.State = time.Time{}, bridge.IntentVoid }, 0},
		"was refused":         {func(in *bridge.Intent, _ *slurm.Job) { in.State = bridge.IntentFailed }, 0},
		"another edit":        {func(in *bridge.Intent, _ *slurm.Job) { in.Edit.Kind = slurm.EditSetGPUs }, 0},
		"the id is another's": {func(_ *bridge.Intent, j *slurm.Job) { j.ID = 8 }, 0},
	} {
		j := bridgetest.NewWaitingJob()
		in := bridge.Intent{ID: 1, State: bridge.IntentExpired, Sent: bridgetest.Noon, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequeue, Value: 2, Text: "h100"}}
		j.Restarts = 1
		c.change(&in, &j)
		if got := SizesToResumeOn([]bridge.Intent{in}, &slurm.View{At: bridgetest.Noon, Jobs: []slurm.Job{j}})[j.ID]; got.Count != c.want || c.want > 0 && got.Type != "h100" {
			t.Errorf("%s: %v, want %d", name, got, c.want)
		}
	}
}
