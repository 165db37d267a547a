package startscore

import "time"

// Promise is a chance of being done by a deadline as it was told, and whether it was.
type Promise struct {
	Chance float64
	IsMet  bool
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

// CollectPromises returns what the first looks at jobs say of their being done by deadlines, in the order of the
// looks; deadlineOf returns a job's, zero: it has none. Jobs that did not end have kept nothing.
func CollectPromises(looks []Look, deadlineOf func(*Look) time.Time) []Promise {
	var all []Promise
	for i := range looks {
		l := &looks[i]
		by := deadlineOf(l)
		if !l.IsFirst || by.IsZero() {
			continue
		}
		all = append(all, Promise{l.End.ChanceBy(l.MadeAt, by), !l.Ended.IsZero() && !l.Ended.After(by)})
	}
	return all
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
