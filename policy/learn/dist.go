package learn

import (
	"math"
	"time"
)

// Dist is the distribution of a job's run time, in all its runs together.
type Dist struct {
	mass  [bins]float64
	limit float64 // seconds; 0: none
}

// minTailShare is the share of run times below which the distribution knows nothing:
// a job that outlasts all but so few runs as long again.
const minTailShare = 1e-5

// Left returns the median of what remains of a job that has run so long, and how
// far above it lies the time within which five of six such jobs end (84 %: for a
// normal distribution its standard deviation, but not moved by rare long runs);
// 0 for a job past its time limit.
func (d *Dist) Left(ran time.Duration) (left, sigma time.Duration) {
	left = d.Quantile(.5, ran)
	return left, d.Quantile(.84, ran) - left
}

// Mean returns the mean of what remains of a job that has run so long, and its
// standard deviation. Both are mostly about the rare long runs.
func (d *Dist) Mean(ran time.Duration) (mean, sigma time.Duration) {
	t := d.tail(ran.Seconds())
	if t.sum < minTailShare {
		left := d.lindy(t.ran)
		return duration(left), duration(left)
	}
	var m, s float64
	for b := t.first; b <= t.last; b++ {
		share, lo, hi := t.bin(d, b)
		one, two := binMoments(b, lo, hi)
		m += share * one
		s += share * two
	}
	m, s = m/t.sum, s/t.sum
	return duration(m - t.ran), duration(math.Sqrt(max(s-m*m, 0)))
}

// Quantile returns the time within which a job that has run so long ends with
// probability q; 0 for one past its time limit.
func (d *Dist) Quantile(q float64, ran time.Duration) time.Duration {
	t := d.tail(ran.Seconds())
	if t.sum < minTailShare {
		left := t.ran * q / max(1-q, .01) // Pareto with exponent 1
		return duration(min(left, t.clamp(left)))
	}
	want := q * t.sum
	for b := t.first; b <= t.last; b++ {
		share, lo, hi := t.bin(d, b)
		if want <= share && share > 0 {
			return duration(lo*math.Pow(hi/lo, want/share) - t.ran)
		}
		want -= share
	}
	return duration(t.to - t.ran)
}

// tail is what remains of a distribution beyond a time and up to the limit.
type tail struct {
	ran         float64
	to          float64 // the greatest run time
	limited     bool
	first, last int     // bins
	sum         float64 // share of run times beyond
}

func (d *Dist) tail(ran float64) tail {
	t := tail{ran: max(ran, 0), to: lowerEdges[bins], last: bins - 1}
	if d.limit > 0 && d.limit < t.to {
		t.to, t.last, t.limited = d.limit, binOf(d.limit), true
	}
	if t.first = binOf(t.ran); t.ran >= t.to {
		return t
	}
	for b := t.first; b <= t.last; b++ {
		share, _, _ := t.bin(d, b)
		t.sum += share
	}
	return t
}

// bin returns the share of run times in a bin that count, and between which
// values: what the limit cuts off a bin is squeezed into the rest, as runs into
// the limit end there; what lies before now did not happen.
func (t *tail) bin(d *Dist, b int) (share, lo, hi float64) {
	share, lo, hi = d.mass[b], lowerEdges[b], min(lowerEdges[b+1], t.to)
	if b == 0 {
		lo = min(lo, hi/2)
	}
	if t.ran > lo && b == t.first {
		share *= math.Log(hi/t.ran) / math.Log(hi/lo)
		lo = t.ran
	}
	return max(share, 0), lo, hi
}

// lindy is the rule for jobs that outlast all that is known, the Lindy effect: as
// long again as they ran, within the limit.
func (d *Dist) lindy(ran float64) float64 {
	left := max(ran, 1)
	if d.limit > 0 {
		left = min(left, d.limit-ran)
	}
	return left
}

// clamp returns what is left until the limit, or left where there is none.
func (t *tail) clamp(left float64) float64 {
	if t.limited {
		return t.to - t.ran
	}
	return left
}

// binMoments returns mean and mean square of the run times of a bin between two
// values.
func binMoments(b int, lo, hi float64) (first, second float64) {
	if lo == lowerEdges[b] && hi == lowerEdges[b+1] {
		return binMeans[b], binMeanSquares[b]
	}
	return moments(lo, hi)
}

// duration makes whole seconds of seconds, at least one of what is left at all.
func duration(seconds float64) time.Duration {
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(math.Ceil(seconds)) * time.Second
}
