package ledger

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// sizeInVainTime is for how long a job that Slurm kept from starting on a number of GPUs of ours keeps its
// owner's: limits of accounts and QOS change seldom, and each try is time that the job does not start in.
const sizeInVainTime = 24 * time.Hour

// WasSizeInVain reports whether a number of GPUs of ours was lately taken back from the job because
// Slurm did not start it on that many.
func (b *IntentBook) WasSizeInVain(run slurm.Run, now time.Time) bool {
	in := b.sizeInVainByJob[run.Job]
	return in != nil && IsSameJob(in.Edit.Run, run) && now.Sub(in.Sent) < sizeInVainTime
}

// SizesToResumeOn returns what GPUs jobs, by id, were requeued to resume on, of those that the
// view shows waiting since that requeue.
func SizesToResumeOn(intents []bridge.Intent, v *slurm.View) map[int64]actuator.Size {
	sizes := map[int64]actuator.Size{}
	for i := range intents {
		in := &intents[i]
		if in.Edit.Kind != slurm.EditRequeue || in.Edit.Value == 0 || in.Sent.IsZero() || in.State == bridge.IntentFailed {
			continue
		}
		j := v.Job(in.Edit.Run.Job)
		if j != nil && j.IsPending() && IsSameJob(in.Edit.Run, j.CurrentRun()) && j.Restarts == in.Edit.Run.Restarts+1 {
			sizes[j.ID] = actuator.Size{Count: in.Edit.Value, Type: in.Edit.Text}
		}
	}
	return sizes
}
