package cycle

import (
	"fmt"
	"time"

	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

const (
	// startCycles is how many cycles in a row may decide to start a job before one
	// that sees it wait is surprised, and startTime the least time that takes:
	// Slurm's backfill looks at the queue every half minute.
	startCycles = 3
	startTime   = 30 * time.Second
	// stuckTime is how long a job that did not start is planned around.
	stuckTime = 5 * time.Minute
)

// findUnstarted returns the awaited jobs that a view still shows waiting, and says of
// those that wait too long why they are planned around.
func findUnstarted(jobs map[int64]Awaited, v *slurm.View, interval time.Duration) (left map[int64]Awaited, stuck map[int64]string) {
	left, stuck = map[int64]Awaited{}, map[int64]string{}
	for id, a := range jobs {
		j := v.Job(id)
		if j == nil || !j.IsPending() || !a.Run.IsSameRun(j.CurrentRun()) || !a.Until.IsZero() && !v.At.Before(a.Until) {
			continue
		}
		if a.Until.IsZero() && a.Cycles >= startCycles && v.At.Sub(a.Since) >= max(startCycles*interval, startTime) {
			a.Until, a.Reason = v.At.Add(max(stuckTime, 10*interval)), j.Reason
		}
		if !a.Until.IsZero() {
			stuck[id] = fmt.Sprintf("it was to start from %s on, and Slurm did not start it in %d cycles (its reason: %s); others go before it until %s",
				formatClock(a.Since), a.Cycles, orNone(a.Reason), formatClock(a.Until))
		}
		left[id] = a
	}
	return left, stuck
}

func formatClock(t time.Time) string { return t.UTC().Format("15:04:05 MST") }

func orNone(reason string) string {
	if reason == "" {
		return "none given"
	}
	return reason
}

// jobsAwaited returns the jobs that are to start after a cycle: starts of a plan that is
// carried out, of jobs that nothing of ours keeps, on devices that Slurm shows as free. A job of
// which something else was decided is no longer awaited.
func jobsAwaited(before map[int64]Awaited, e *Evaluation, v *slurm.View) map[int64]Awaited {
	out := map[int64]Awaited{}
	for id, a := range before {
		if !a.Until.IsZero() {
			out[id] = a
		}
	}
	if !e.Send || e.Plan == nil {
		return out
	}
	made := map[policy.JobID]bool{} // room is still being made for them
	for i := range e.Plan.Decisions {
		made[e.Plan.Decisions[i].StoppedFor] = true
	}
	for i := range e.Plan.Decisions {
		dec := &e.Plan.Decisions[i]
		j := v.Job(int64(dec.Job))
		if dec.Verb != policy.Start || made[dec.Job] || !mayStart(j, v.At) || !actuator.AreDevicesFree(v, dec.On) {
			continue
		}
		a, ok := before[j.ID]
		if !ok {
			a = Awaited{Run: j.CurrentRun(), Since: v.At}
		}
		a.Cycles++
		out[j.ID] = a
	}
	return out
}

// mayStart reports whether Slurm may start the job now.
func mayStart(j *slurm.Job, now time.Time) bool {
	return j != nil && j.IsPending() && !j.IsHeld && !j.Eligible.After(now)
}
