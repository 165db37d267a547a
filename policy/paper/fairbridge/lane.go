package fairbridge

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
)

// laneKey is one person's jobs of one GPU type, "" for any.
type laneKey struct {
	owner   int32 // see owners
	gpuType string
}

// laneSeconds returns, by entry and for those that are asked for, in how many seconds the job would be done if the
// jobs of its user ran one after the other, the shortest first: what it has left, for a user with one job. Jobs
// stand in line by it. By what each has left alone, work cut into four jobs would be done
// before any that is whole, as each of the four is short; so the last of them stands where the
// whole would. secondsLeft says what a job has left. The order by ends of a user's own schedule is
// after E. J. Friedman and S. G. Henderson, "Fairness and Efficiency in Web Server Protocols",
// SIGMETRICS 2003.
func (l *slackOrder) laneSeconds(
	r *engine.Round, of []*engine.Entry, secondsLeft func(*engine.Round, *engine.Entry) float64,
) []float64 {
	lanes, seconds := map[laneKey][]*engine.Entry{}, make([]float64, len(r.Entries))
	isAsked := make([]bool, len(l.peaks.owners.persons))
	for _, e := range of {
		isAsked[l.peaks.owners.byJob[e.Index]] = true
	}
	for i, e := range r.Entries {
		owner := l.peaks.owners.byJob[i]
		if !isAsked[owner] {
			continue
		}
		seconds[i] = secondsLeft(r, e)
		if r.MayRun(e) {
			k := laneKey{owner, e.Ask.GPUs.Type}
			lanes[k] = append(lanes[k], e)
		}
	}
	for _, lane := range lanes {
		slices.SortFunc(lane, func(a, b *engine.Entry) int {
			return engine.ThenArrival(cmp.Compare(seconds[a.Index], seconds[b.Index]), a, b)
		})
		addTurns(lane, seconds)
	}
	return seconds
}

// areOfOneLane reports whether the jobs are of one lane. Their order by laneSeconds is then that by what each has left.
func (l *slackOrder) areOfOneLane(r *engine.Round, jobs []*engine.Entry) bool {
	owners := l.peaks.owners.byJob
	for _, e := range jobs {
		first := jobs[0]
		if owners[e.Index] != owners[first.Index] || e.Ask.GPUs.Type != first.Ask.GPUs.Type || !r.MayRun(e) {
			return false
		}
	}
	return true
}

// stickySeconds is by what jobs stand in line: what the job has left, as secondsLeft, by the GPU where that is how
// they are compared.
func (l *slackOrder) stickySeconds(r *engine.Round, e *engine.Entry) float64 {
	left := l.secondsLeft(r, e)
	if l.By == byService {
		left *= e.Ask.GPUs.WholeGPUs()
	}
	return left
}

// secondsLeft is what the job has left, less for one that runs.
func (l *slackOrder) secondsLeft(r *engine.Round, e *engine.Entry) float64 {
	left := predict.OnFastestType(r, e).Seconds()
	if e.HoldsGPUs() {
		left *= l.Sticky
	}
	return left
}

// addTurns turns what each job of a lane has left into when it would be done.
func addTurns(lane []*engine.Entry, seconds []float64) {
	before := 0.0
	for _, e := range lane {
		left := seconds[e.Index]
		seconds[e.Index] += before
		before += left * float64(e.TaskCount())
	}
}
