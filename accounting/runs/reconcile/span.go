package reconcile

import (
	"time"

	"fairbridge/bridge/slurm"
)

// Span is a stretch of time in which a run holds its GPUs and is not
// suspended. A zero stop means that it still does.
type Span struct{ Start, Stop time.Time }

// spansOfJob returns when the record says that the run ran. Slurm tells the sum
// of earlier stretches and the beginning of the present one, so that the sum
// is right to the second; where a run was suspended more than once, earlier
// stretches are put end to end.
func spansOfJob(j *slurm.Job, at time.Time) []Span {
	if j.Start.IsZero() || j.Start.After(at) || j.IsPending() && !j.HasFlag("COMPLETING") {
		return nil
	}
	before, since := j.RunStretch()
	spans := []Span{{j.Start, j.Start.Add(before)}}
	if !since.IsZero() {
		spans = append(spans, Span{since, stopTime(j, at)})
	}
	return dropEmptySpans(spans...)
}

// stopTime returns when the run stopped; zero while it runs. A completing job
// has stopped: its end time no longer moves.
func stopTime(j *slurm.Job, at time.Time) time.Time {
	if j.IsRunning() && !j.HasFlag("COMPLETING") {
		return time.Time{}
	}
	if j.End.IsZero() || j.End.After(at) {
		return at
	}
	return j.End
}

// dropEmptySpans drops spans that are empty or run backwards.
func dropEmptySpans(list ...Span) []Span {
	out := list[:0]
	for _, c := range list {
		if c.Stop.IsZero() || c.Stop.After(c.Start) {
			out = append(out, c)
		}
	}
	return out
}
