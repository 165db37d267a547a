package cycle

import (
	"fmt"
	"time"

	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

const (
	// minAwaitedCycles is how many cycles in a row may decide to start a job before one
	// that sees it wait is surprised, and minAwaitedTime the least time that takes:
	// Slurm's backfill looks at the queue every half minute.
	minAwaitedCycles = 3
	minAwaitedTime   = 30 * time.Second
	// planAroundTime is how long a job that did not start is planned around.
	planAroundTime = 5 * time.Minute
)

// findUnstarted returns the awaited jobs that a view still shows waiting, and says of
// those that wait too long why they are planned around.
func findUnstarted(jobs map[int64]AwaitedStart, v *slurm.View, interval time.Duration) (left map[int64]AwaitedStart, stuck map[int64]string) {
	left, stuck = map[int64]AwaitedStart{}, map[int64]string{}
	for id, a := range jobs {
		j := v.Job(id)
		if j == nil || !j.IsPending() || !a.Run.IsSameRun(j.CurrentRun()) || !a.PlannedAroundUntil.IsZero() && !v.At.Before(a.PlannedAroundUntil) {
			continue
		}
		if a.PlannedAroundUntil.IsZero() && a.CycleCount >= minAwaitedCycles && v.At.Sub(a.FirstDecidedAt) >= max(minAwaitedCycles*interval, minAwaitedTime) {
			a.PlannedAroundUntil, a.SlurmReason = v.At.Add(max(planAroundTime, 10*interval)), j.Reason
		}
		if !a.PlannedAroundUntil.IsZero() {
			stuck[id] = fmt.Sprintf("it was to start from %s on, and Slurm did not start it in %s (its reason: %s); others go before it until %s",
				formatClockTime(a.FirstDecidedAt), policy.FormatCount(a.CycleCount, "cycle"), reasonOrNone(a.SlurmReason), formatClockTime(a.PlannedAroundUntil))
		}
		left[id] = a
	}
	return left, stuck
}

func formatClockTime(t time.Time) string { return t.UTC().Format("15:04:05 MST") }

func reasonOrNone(reason string) string {
	if reason == "" {
		return "none given"
	}
	return reason
}

// findAwaitedStarts returns the jobs that are to start after a cycle: starts of a plan that is
// carried out, of jobs that nothing of ours keeps, on devices that Slurm shows as free. A job of
// which something else was decided is no longer awaited.
func findAwaitedStarts(before map[int64]AwaitedStart, e *PartitionResult, v *slurm.View) map[int64]AwaitedStart {
	out := map[int64]AwaitedStart{}
	for id, a := range before {
		if !a.PlannedAroundUntil.IsZero() {
			out[id] = a
		}
	}
	if !e.MaySendEdits || e.Plan == nil {
		return out
	}
	made := map[policy.JobID]bool{} // room is still being made for them
	for i := range e.Plan.Decisions {
		made[e.Plan.Decisions[i].StoppedFor] = true
	}
	for i := range e.Plan.Decisions {
		dec := &e.Plan.Decisions[i]
		j := v.Job(int64(dec.Job))
		if dec.Verb != policy.Start || made[dec.Job] || !maySlurmStart(j, v.At) || !actuator.AreDevicesFree(v, dec.On) {
			continue
		}
		a, ok := before[j.ID]
		if !ok {
			a = AwaitedStart{Run: j.CurrentRun(), FirstDecidedAt: v.At}
		}
		a.CycleCount++
		out[j.ID] = a
	}
	return out
}

// maySlurmStart reports whether Slurm may start the job now.
func maySlurmStart(j *slurm.Job, now time.Time) bool {
	return j != nil && j.IsPending() && !j.IsHeld && !j.EligibleTime.After(now)
}
