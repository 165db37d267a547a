package startscore

import (
	"slices"
	"time"

	"fairbridge/bridge/estimate"
)

// Promise is a chance of being done by a deadline as it was told, and whether it was.
type Promise struct {
	Chance float64
	IsMet  bool

	due         time.Time
	uncorrected float64
}

// PromiseScore is how good chances were.
type PromiseScore struct {
	Count int
	Brier float64 // the mean square of chance less outcome; a quarter is what saying one half always has
	Bins  []PromiseBin
}

// PromiseBin is the promises whose chances lie between two neighbours of fifths.
type PromiseBin struct {
	Count    int
	Told     float64 // mean chance
	MetShare float64
}

// promiseBinCount is how many bins there are.
const promiseBinCount = 5

// CollectPromises returns what jobs are told at the first, calibrated looks at them of their being done by
// deadlines, in the order of the looks, corrected by those that were past by then, as live once an hour;
// deadlineOf returns a job's, zero: it has none. Jobs that did not end have kept nothing.
func CollectPromises(looks []Look, deadlineOf func(*Look) time.Time) []Promise {
	var all []Promise
	c, learntAt := &estimate.Calibration{}, time.Time{}
	for i := range looks {
		l := &looks[i]
		by := deadlineOf(l)
		if !l.IsFirst || by.IsZero() {
			continue
		}
		if l.MadeAt.Sub(learntAt) >= time.Hour {
			c.LearnPromises(pastOutcomes(all, l.MadeAt))
			learntAt = l.MadeAt
		}
		chances := c.Chances(l.MadeAt, l.End, l.RunTime)
		all = append(all, Promise{chances.By(by), !l.Ended.IsZero() && !l.Ended.After(by), by, chances.Uncorrected(by)})
	}
	return all
}

// pastOutcomes is what came of promises whose deadline is past, by deadline.
func pastOutcomes(all []Promise, now time.Time) []estimate.PromiseOutcome {
	past := slices.DeleteFunc(slices.Clone(all), func(p Promise) bool { return !p.due.Before(now) })
	slices.SortStableFunc(past, func(a, b Promise) int { return a.due.Compare(b.due) })
	outcomes := make([]estimate.PromiseOutcome, len(past))
	for i, p := range past {
		outcomes[i] = estimate.PromiseOutcome{Uncorrected: p.uncorrected, IsMet: p.IsMet}
	}
	return outcomes
}

// ScorePromises scores chances.
func ScorePromises(all []Promise) PromiseScore {
	s := PromiseScore{Count: len(all), Bins: make([]PromiseBin, promiseBinCount)}
	for _, p := range all {
		met := 0.
		if p.IsMet {
			met = 1
		}
		s.Brier += (p.Chance - met) * (p.Chance - met) / float64(len(all))
		b := &s.Bins[min(int(p.Chance*promiseBinCount), promiseBinCount-1)]
		b.Count++
		b.Told += p.Chance
		b.MetShare += met
	}
	for i := range s.Bins {
		if b := &s.Bins[i]; b.Count > 0 {
			b.Told, b.MetShare = b.Told/float64(b.Count), b.MetShare/float64(b.Count)
		}
	}
	return s
}

// WorstGap is the largest difference of what was told and what came in a bin of at least so many.
func (s *PromiseScore) WorstGap(leastCount int) float64 {
	worst := 0.
	for _, b := range s.Bins {
		if b.Count >= leastCount {
			worst = max(worst, b.Told-b.MetShare, b.MetShare-b.Told)
		}
	}
	return worst
}
