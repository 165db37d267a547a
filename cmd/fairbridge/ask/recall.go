package ask

import (
	"fmt"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

// recallText says how long it took the job, which ran on what others left, to give its GPUs back the last time that
// another was to have them; "" where it never had to.
func recallText(e *api.Job, now time.Time) string {
	first := firstOfLastRecall(e.Intents)
	if first == nil {
		return ""
	}
	who := "another job"
	if to := first.Before.Stop.Beneficiary; to != 0 {
		who = fmt.Sprintf("job %d", to)
	}
	text := fmt.Sprintf("It runs on what others leave. At %s it was called back for %s, within %s: ",
		output.FormatTime(first.Made, now), who, policy.FormatDuration(first.Before.Stop.Recall))
	if end := endOfRun(e.Runs, first.Edit.Run.Restarts); end.After(first.Made) {
		return text + fmt.Sprintf("it had left after %s.", policy.FormatDuration(end.Sub(first.Made)))
	}
	return text + fmt.Sprintf("it has not left yet, %s later.", policy.FormatDuration(now.Sub(first.Made)))
}

// firstOfLastRecall returns the first change, the warning if there was one, by which the job was called back the last time;
// nil: it never was. Intents come newest first. One that was not sent calls nobody back.
func firstOfLastRecall(intents []bridge.Intent) (first *bridge.Intent) {
	for i := range intents {
		in := &intents[i]
		if stop := in.Before.Stop; stop == nil || stop.Recall <= 0 || in.Sent.IsZero() {
			continue
		}
		if first != nil && in.Edit.Run.Restarts != first.Edit.Run.Restarts {
			break
		}
		first = in
	}
	return first
}

// endOfRun returns when the run with so many restarts ended; zero: it has not, or is not known.
func endOfRun(runs []journal.JobRun, restarts int) time.Time {
	for i := range runs {
		if runs[i].Restarts == restarts {
			return runs[i].End
		}
	}
	return time.Time{}
}
