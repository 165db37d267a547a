package learn

import (
	"math"
	"time"
)

// RunTimeDist is the distribution of a job's run time, in all its runs together.
type RunTimeDist struct {
	massByBin    [binCount]float64
	limitSeconds float64 // seconds; 0: none
}

// minTailShare is the share of run times below which the distribution knows nothing:
// a job that outlasts all but so few runs as long again.
const minTailShare = 1e-5

// MedianLeft returns the median of what remains of a job that has run so long, and how
// far above it lies the time within which five of six such jobs end (84 %: for a
// normal distribution its standard deviation, but not moved by rare long runs);
// 0 for a job past its time limit.
func (d *RunTimeDist) MedianLeft(ran time.Duration) (left, sigma time.Duration) {
	t := d.tailAfter(ran.Seconds())
	left = t.quantileLeft(d, .5)
	return left, t.quantileLeft(d, .84) - left
}

// MeanLeft returns the mean of what remains of a job that has run so long, and its
// standard deviation. Both are mostly about the rare long runs.
func (d *RunTimeDist) MeanLeft(ran time.Duration) (mean, sigma time.Duration) {
	t := d.tailAfter(ran.Seconds())
	if t.shareBeyond < minTailShare {
		left := d.lindyTimeLeft(t.ranSeconds)
		return durationFromSeconds(left), durationFromSeconds(left)
	}
	var m, s float64
	for b := t.firstBin; b <= t.lastBin; b++ {
		share, lo, hi := t.shareOfBin(d, b)
		one, two := binMoments(b, lo, hi)
		m += share * one
		s += share * two
	}
	m, s = m/t.shareBeyond, s/t.shareBeyond
	return durationFromSeconds(m - t.ranSeconds), durationFromSeconds(math.Sqrt(max(s-m*m, 0)))
}

// QuantileLeft returns the time within which a job that has run so long ends with
// probability q; 0 for one past its time limit.
func (d *RunTimeDist) QuantileLeft(q float64, ran time.Duration) time.Duration {
	t := d.tailAfter(ran.Seconds())
	return t.quantileLeft(d, q)
}

func (t *runTimeTail) quantileLeft(d *RunTimeDist, q float64) time.Duration {
	if t.shareBeyond < minTailShare {
		left := t.ranSeconds * q / max(1-q, .01) // Pareto with exponent 1
		return durationFromSeconds(min(left, t.clampToLimit(left)))
	}
	want, share := q*t.shareBeyond, t.firstShare
	for b := t.firstBin; ; {
		if want <= share && share > 0 {
			_, lo, hi := t.shareOfBin(d, b)
			return durationFromSeconds(lo*math.Pow(hi/lo, want/share) - t.ranSeconds)
		}
		want -= share
		if b++; b > t.lastBin {
			return durationFromSeconds(t.maxSeconds - t.ranSeconds)
		}
		share = max(d.massByBin[b], 0)
	}
}

// runTimeTail is what remains of a distribution beyond a time and up to the limit.
type runTimeTail struct {
	ranSeconds        float64
	maxSeconds        float64 // the greatest run time
	isLimited         bool
	firstBin, lastBin int     // bins
	firstShare        float64 // share of run times in firstBin that are beyond
	shareBeyond       float64 // share of run times beyond
}

func (d *RunTimeDist) tailAfter(ran float64) runTimeTail {
	t := runTimeTail{ranSeconds: max(ran, 0), maxSeconds: binLowerEdges[binCount], lastBin: binCount - 1}
	if d.limitSeconds > 0 && d.limitSeconds < t.maxSeconds {
		t.maxSeconds, t.lastBin, t.isLimited = d.limitSeconds, binOfSeconds(d.limitSeconds), true
	}
	if t.firstBin = binOfSeconds(t.ranSeconds); t.ranSeconds >= t.maxSeconds {
		return t
	}
	if t.firstBin <= t.lastBin {
		t.firstShare, _, _ = t.shareOfBin(d, t.firstBin)
		t.shareBeyond = t.firstShare
	}
	for _, share := range d.massByBin[min(t.firstBin, t.lastBin)+1 : t.lastBin+1] {
		if share > 0 {
			t.shareBeyond += share
		}
	}
	return t
}

// shareOfBin returns the share of run times in a bin that count, and between which
// values: what the limit cuts off a bin is squeezed into the rest, as runs into
// the limit end there; what lies before now did not happen.
func (t *runTimeTail) shareOfBin(d *RunTimeDist, b int) (share, lo, hi float64) {
	share, lo, hi = d.massByBin[b], binLowerEdges[b], min(binLowerEdges[b+1], t.maxSeconds)
	if b == 0 {
		lo = min(lo, hi/2)
	}
	if t.ranSeconds > lo && b == t.firstBin {
		share *= math.Log(hi/t.ranSeconds) / math.Log(hi/lo)
		lo = t.ranSeconds
	}
	return max(share, 0), lo, hi
}

// lindyTimeLeft is the rule for jobs that outlast all that is known, the Lindy effect: as
// long again as they ran, within the limit.
func (d *RunTimeDist) lindyTimeLeft(ran float64) float64 {
	left := max(ran, 1)
	if d.limitSeconds > 0 {
		left = min(left, d.limitSeconds-ran)
	}
	return left
}

// clampToLimit returns what is left until the limit, or left where there is none.
func (t *runTimeTail) clampToLimit(left float64) float64 {
	if t.isLimited {
		return t.maxSeconds - t.ranSeconds
	}
	return left
}

// binMoments returns mean and mean square of the run times of a bin between two
// values.
func binMoments(b int, lo, hi float64) (first, second float64) {
	if lo == binLowerEdges[b] && hi == binLowerEdges[b+1] {
		return binMeans[b], binMeanSquares[b]
	}
	return logUniformMoments(lo, hi)
}

// durationFromSeconds makes whole seconds of seconds, at least one of what is left at all.
func durationFromSeconds(seconds float64) time.Duration {
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(math.Ceil(seconds)) * time.Second
}
