package runs

import (
	"time"

	"fairbridge/bridge/slurm"
)

// chunk is a stretch of time in which a run holds its GPUs and is not
// suspended. A zero stop means that it still does.
type chunk struct{ start, stop time.Time }

// chunksOf returns when the record says that the run ran. Slurm tells the sum
// of earlier stretches and the beginning of the present one, so that the sum
// is right to the second; where a run was suspended more than once, earlier
// stretches are put end to end.
func chunksOf(j *slurm.Job, at time.Time) []chunk {
	if j.Start.IsZero() || j.Start.After(at) || j.Pending() && !j.Flag("COMPLETING") {
		return nil
	}
	stop := stopOf(j, at)
	switch {
	case j.State == "SUSPENDED" && j.PreSuspend > 0:
		return bounded(chunk{j.Start, j.Start.Add(j.PreSuspend)})
	case j.State == "SUSPENDED":
		return bounded(chunk{j.Start, j.Suspended})
	case j.PreSuspend > 0 && !j.Suspended.Before(j.Start):
		return bounded(chunk{j.Start, j.Start.Add(j.PreSuspend)}, chunk{j.Suspended, stop})
	}
	return bounded(chunk{j.Start, stop})
}

// stopOf returns when the run stopped; zero while it runs. A completing job
// has stopped: its end time no longer moves.
func stopOf(j *slurm.Job, at time.Time) time.Time {
	if j.Running() && !j.Flag("COMPLETING") {
		return time.Time{}
	}
	if j.End.IsZero() || j.End.After(at) {
		return at
	}
	return j.End
}

// bounded drops chunks that are empty or run backwards.
func bounded(list ...chunk) []chunk {
	out := list[:0]
	for _, c := range list {
		if c.stop.IsZero() || c.stop.After(c.start) {
			out = append(out, c)
		}
	}
	return out
}
