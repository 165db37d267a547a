package learn

import (
	"math"
	"sort"
	"time"
)

// RunTimeDist is the distribution of a job's run time, in all its runs together.
type RunTimeDist struct {
	massFrom     [binCount + 1]float64 // of a bin and those after it, up to lastBin
	limitSeconds float64               // 0: none
	maxSeconds   float64               // the greatest run time
	lastBin      int
}

// newRunTimeDist returns the distribution with so much mass in each bin, of a job with a limit or, with 0, none.
func newRunTimeDist(massByBin *[binCount]float64, limitSeconds float64) *RunTimeDist {
	d := &RunTimeDist{limitSeconds: limitSeconds, maxSeconds: binLowerEdges[binCount], lastBin: binCount - 1}
	if d.isLimited() {
		d.maxSeconds, d.lastBin = limitSeconds, binOfSeconds(limitSeconds)
	}
	for b := d.lastBin; b >= 0; b-- {
		d.massFrom[b] = d.massFrom[b+1] + max(massByBin[b], 0)
	}
	return d
}

// isLimited reports whether there is a limit within the scale.
func (d *RunTimeDist) isLimited() bool {
	return d.limitSeconds > 0 && d.limitSeconds < binLowerEdges[binCount]
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
	for b := t.firstBin; b <= d.lastBin; b++ {
		share := d.massFrom[b] - d.massFrom[b+1]
		if b == t.firstBin {
			share = t.firstShare
		}
		lo, hi := t.boundsOfBin(d, b)
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
		if d.isLimited() {
			left = min(left, d.maxSeconds-t.ranSeconds)
		}
		return durationFromSeconds(left)
	}
	b, part, later := t.firstBin, q*t.shareBeyond/t.firstShare, (1-q)*t.shareBeyond
	if after := d.massFrom[b+1:]; after[0] > later {
		b += sort.Search(d.lastBin-b, func(i int) bool { return after[i+1] <= later }) + 1
		part = (d.massFrom[b] - later) / (d.massFrom[b] - d.massFrom[b+1])
	}
	lo, hi := t.boundsOfBin(d, b)
	if isWholeBin(b, lo, hi) {
		return durationFromSeconds(lo*math.Exp2(part/binsPerOctave) - t.ranSeconds)
	}
	return durationFromSeconds(lo*math.Pow(hi/lo, part) - t.ranSeconds)
}

// runTimeTail is what remains of a distribution beyond a time and up to the limit.
type runTimeTail struct {
	ranSeconds  float64
	firstBin    int
	firstShare  float64 // share of run times in firstBin that are beyond
	shareBeyond float64 // share of run times beyond
}

func (d *RunTimeDist) tailAfter(ran float64) runTimeTail {
	t := runTimeTail{ranSeconds: max(ran, 0)}
	position := math.Log2(max(t.ranSeconds, 1)) * binsPerOctave
	if t.firstBin = min(int(position), binCount-1); t.ranSeconds >= d.maxSeconds {
		return t
	}
	b := t.firstBin
	lo, hi := t.boundsOfBin(d, b)
	switch t.firstShare = d.massFrom[b] - d.massFrom[b+1]; {
	case t.ranSeconds < lo:
	case b > 0 && hi == binLowerEdges[b+1]:
		t.firstShare *= float64(b+1) - position
	default:
		t.firstShare *= math.Log(hi/t.ranSeconds) / math.Log(hi/binStart(b, hi))
	}
	t.shareBeyond = t.firstShare + d.massFrom[b+1]
	return t
}

// boundsOfBin returns between which values the run times of a bin are that count: what the limit cuts off a bin is
// squeezed into the rest, as runs into the limit end there; what lies before now did not happen.
func (t *runTimeTail) boundsOfBin(d *RunTimeDist, b int) (lo, hi float64) {
	hi = min(binLowerEdges[b+1], d.maxSeconds)
	if lo = binStart(b, hi); b == t.firstBin {
		lo = max(lo, t.ranSeconds)
	}
	return lo, hi
}

// binStart is where a bin with such an end begins.
func binStart(b int, hi float64) float64 {
	if b == 0 {
		return min(binLowerEdges[b], hi/2)
	}
	return binLowerEdges[b]
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

// isWholeBin reports whether a bin counts as a whole between two values.
func isWholeBin(b int, lo, hi float64) bool {
	return lo == binLowerEdges[b] && hi == binLowerEdges[b+1]
}

// binMoments returns mean and mean square of the run times of a bin between two
// values.
func binMoments(b int, lo, hi float64) (first, second float64) {
	if isWholeBin(b, lo, hi) {
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

// The scale of run times: so many bins, each wider than the last by a constant
// factor, from one second to a good year.
const (
	binsPerOctave  = 8 // bins while run time doubles
	binCount       = 25 * binsPerOctave
	extraRatioBins = binsPerOctave // further bins of the scale of ratios, above ratio 1
)

// binLowerEdges are those of the bins in seconds, and the end of the last one;
// binMeans and binMeanSquares the mean and mean square of a run time in a bin.
var binLowerEdges, binMeans, binMeanSquares = newBinScale()

func newBinScale() (lower [binCount + 1]float64, mean, square [binCount]float64) {
	for b := range lower {
		lower[b] = math.Exp2(float64(b) / binsPerOctave)
	}
	for b := range mean {
		mean[b], square[b] = logUniformMoments(lower[b], lower[b+1])
	}
	return lower, mean, square
}

// logUniformMoments returns mean and mean square of what is spread evenly on a
// logarithmic scale between two values.
func logUniformMoments(lo, hi float64) (first, second float64) {
	wide := math.Log(hi / lo)
	if wide < 1e-9 {
		return lo, lo * lo
	}
	return (hi - lo) / wide, (hi*hi - lo*lo) / (2 * wide)
}

// binOfSeconds returns the bin of a run time in seconds.
func binOfSeconds(seconds float64) int {
	if !(seconds > 1) {
		return 0
	}
	return min(int(math.Log2(seconds)*binsPerOctave), binCount-1)
}

// binOfRatio returns the bin of a run time as a part of the limit.
func binOfRatio(seconds, limit float64) int {
	b := binCount + math.Floor(math.Log2(max(seconds, 1)/limit)*binsPerOctave)
	return int(min(max(b, 0), binCount+extraRatioBins-1))
}

// ratioBinShift is how far the scale of ratios lies below that of run times for a
// limit: ratio bin b is run-time bin b+shift.
func ratioBinShift(limit float64) int {
	return int(math.Round(math.Log2(max(limit, 1))*binsPerOctave)) - binCount
}

// priorMassByBin is what to expect of a job before anything was ever seen: half an hour
// at the median, log-normally spread, two thirds of jobs within a factor of eleven.
var priorMassByBin, priorCumulative = logNormalMass(30*60, 2.4)

// logNormalMass returns a log-normal distribution over the bins, by bin and up to the end of each bin.
func logNormalMass(median, sigma float64) (mass, sums [binCount]float64) {
	upTo := func(seconds float64) float64 {
		return .5 * math.Erfc(-math.Log(seconds/median)/sigma/math.Sqrt2)
	}
	last := 0.0
	for b := range mass {
		next := upTo(binLowerEdges[b+1])
		if b == binCount-1 {
			next = 1
		}
		mass[b], sums[b], last = next-last, next, next
	}
	return mass, sums
}
