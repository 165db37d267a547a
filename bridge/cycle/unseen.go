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

// awaited is a job whose start was decided, on devices that are free, and not
// seen yet.
type awaited struct {
	run    slurm.Run
	since  time.Time // first decided
	cycles int       // in a row
	until  time.Time // it is planned around until then; zero: it is not
	reason string    // Slurm's, when it was
}

// starts are the awaited jobs of a partition, by id. A restart begins with none,
// which costs three cycles.
type starts map[int64]awaited

// seen returns those that a view still shows waiting, and says of those that wait
// too long why they are planned around.
func (s starts) seen(v *slurm.View, interval time.Duration) (left starts, stuck map[int64]string) {
	left, stuck = starts{}, map[int64]string{}
	for id, a := range s {
		j := v.Job(id)
		if j == nil || !j.Pending() || !a.run.Same(j.Run()) || !a.until.IsZero() && !v.At.Before(a.until) {
			continue
		}
		if a.until.IsZero() && a.cycles >= startCycles && v.At.Sub(a.since) >= max(startCycles*interval, startTime) {
			a.until, a.reason = v.At.Add(max(stuckTime, 10*interval)), j.Reason
		}
		if !a.until.IsZero() {
			stuck[id] = fmt.Sprintf("it was to start from %s on, and Slurm did not start it in %d cycles (its reason: %s); others go before it until %s",
				clock(a.since), a.cycles, orNone(a.reason), clock(a.until))
		}
		left[id] = a
	}
	return left, stuck
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05 MST") }

func orNone(reason string) string {
	if reason == "" {
		return "none given"
	}
	return reason
}

// next adds what a cycle decided: starts that were sent, of jobs that nothing of
// ours keeps, on devices that Slurm shows as free. A job of which something else
// was decided is no longer awaited.
func (s starts) next(t *Evaluation, v *slurm.View) starts {
	out := starts{}
	for id, a := range s {
		if !a.until.IsZero() {
			out[id] = a
		}
	}
	if !t.Send || t.Plan == nil {
		return out
	}
	made := map[policy.JobID]bool{} // room is still being made for them
	for i := range t.Plan.Decisions {
		made[t.Plan.Decisions[i].For] = true
	}
	for i := range t.Plan.Decisions {
		dec := &t.Plan.Decisions[i]
		j := v.Job(int64(dec.Job))
		if dec.Verb != policy.Start || made[dec.Job] || j == nil || !j.Pending() || j.Held || j.Eligible.After(v.At) || !actuator.Free(v, dec.On) {
			continue
		}
		a, ok := s[j.ID]
		if !ok {
			a = awaited{run: j.Run(), since: v.At}
		}
		a.cycles++
		out[j.ID] = a
	}
	return out
}
