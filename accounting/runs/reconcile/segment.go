package reconcile

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Segment is one row of run_segments without its run.
type Segment struct {
	Holding
	Span
}

// SegmentsOfJob returns the segments of a run as they should stand after a view.
// old are those that stand, sorted by start.
//
// A run that always held what it holdings now is told afresh from its record, so
// that repeating a view changes nothing. One that was resized keeps what is
// past, and goes on with what it holdings now from the moment the change was
// seen.
func SegmentsOfJob(old []Segment, j *slurm.Job, v *slurm.View) []Segment {
	at := v.At
	holdings, spans := holdingsOfJob(j, v.Node), spansOfJob(j, at)
	if len(j.GresDetail) == 0 && len(old) > 0 { // the record of a finished run forgets its devices
		holdings = lastHoldings(old)
	}
	if len(old) == 0 || hasSameHoldings(old, holdings) {
		return combineToSegments(holdings, spans)
	}
	return resizedSegments(old, holdings, spans, at)
}

func combineToSegments(holdings []Holding, spans []Span) []Segment {
	var out []Segment
	for _, c := range spans {
		for _, h := range holdings {
			out = append(out, Segment{h, c})
		}
	}
	return out
}

// lastHoldings returns what the run held last: what it still holdings, else what it
// gave up last.
func lastHoldings(old []Segment) []Holding {
	var last time.Time
	open := false
	for _, s := range old {
		open = open || s.Stop.IsZero()
		last = policy.Later(last, s.Stop)
	}
	if open {
		last = time.Time{}
	}
	var out []Holding
	for _, s := range old {
		if s.Stop.Equal(last) {
			out = append(out, s.Holding)
		}
	}
	return out
}

// hasSameHoldings reports whether every stretch of old has exactly the holdings.
func hasSameHoldings(old []Segment, holdings []Holding) bool {
	want := map[Holding]bool{}
	for _, h := range holdings {
		want[h] = true
	}
	stretches := map[time.Time]int{}
	for _, s := range old {
		if !want[s.Holding] {
			return false
		}
		stretches[s.Start]++
	}
	for _, n := range stretches {
		if n != len(holdings) {
			return false
		}
	}
	return true
}

// resizedSegments closes what the run holdings no longer and opens what it holdings newly.
func resizedSegments(old []Segment, holdings []Holding, spans []Span, at time.Time) []Segment {
	var last Span
	if len(spans) > 0 {
		last = spans[len(spans)-1]
	}
	running := len(spans) > 0 && last.Stop.IsZero()
	now := map[Holding]bool{}
	for _, h := range holdings {
		now[h] = running
	}
	var out []Segment
	open := map[Holding]bool{}
	for _, s := range old {
		if s.Stop.IsZero() {
			switch {
			case now[s.Holding] && !last.Start.After(s.Start):
				open[s.Holding] = true
			case !last.Stop.IsZero():
				s.Stop = policy.Later(last.Stop, s.Start)
			default:
				s.Stop = policy.Later(at, s.Start)
			}
		}
		if s.Stop.IsZero() || s.Stop.After(s.Start) {
			out = append(out, s)
		}
	}
	for _, h := range holdings {
		if running && !open[h] {
			out = append(out, Segment{h, Span{Start: policy.Later(last.Start, lastStopTime(out))}})
		}
	}
	return out
}

// lastStopTime returns when the run last changed.
func lastStopTime(list []Segment) time.Time {
	var t time.Time
	for _, s := range list {
		t = policy.Later(t, s.Stop)
	}
	return t
}

// AreSameSegments reports whether both lists say the same, in any order.
func AreSameSegments(a, b []Segment) bool {
	by := func(x, y Segment) int {
		return cmp.Or(x.Start.Compare(y.Start), cmp.Compare(x.Node, y.Node), cmp.Compare(x.GPUType, y.GPUType))
	}
	a, b = slices.SortedFunc(slices.Values(a), by), slices.SortedFunc(slices.Values(b), by)
	return slices.EqualFunc(a, b, func(x, y Segment) bool {
		return x.Holding == y.Holding && x.Start.Equal(y.Start) && x.Stop.Equal(y.Stop)
	})
}

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
