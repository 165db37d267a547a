package scaling

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"fairbridge/policy"
)

// Measured is a speed on one size as it was seen so many times.
type Measured struct {
	policy.SpeedPoint
	Count          int     // how often; 0 and 1: once
	RelativeSpread float64 // standard deviation of what was seen, relative to its mean; 0: not known
}

// assumedSigma is the relative standard error that is stated of a speed of which nothing was
// measured. Every size that was measured makes it smaller: it is a statement of ours and not
// an estimate, since two or three points say nothing of how wrong a shape is.
const assumedSigma = .5

// Assumed is the scaling of a job of which nothing is known but that its size may change.
func Assumed() *policy.Scaling {
	return &policy.Scaling{Source: policy.ScalingAssumed, SerialPart: DefaultSerialPart, RelativeSigma: assumedSigma}
}

// FromMeasured makes a curve through speeds that were measured; batch is the batch size in whose
// steps it is told, 0: that of the first that tells one. One point scales the default shape; of two
// sizes or more the shape outside of them is fitted; speeds on more nodes than the devices need
// become one number, SpreadSpeed, where the speed on as few as can be is known of the same type.
// Without a usable point it returns nil.
func FromMeasured(source policy.ScalingSource, all []Measured, batch int) *policy.Scaling {
	compact, spread := splitBySpread(usable(all), batch)
	if len(compact) == 0 {
		compact, spread = spread, nil // better than nothing
	}
	if len(compact) == 0 {
		return nil
	}
	out := &policy.Scaling{Source: source, Points: pointsOf(compact), SerialPart: fitSerialPart(compact)}
	out.SpreadSpeed = spreadSpeed(out, spread)
	for _, m := range append(compact, spread...) {
		out.MaxSeenDevices = max(out.MaxSeenDevices, m.Devices)
	}
	out.RelativeSigma = sigmaOf(compact)
	return out
}

// AddStepTimes fits the time of a step (FitStepTime) to the speeds of a job that adapts its batch
// size, by type of GPU, so that batch sizes that were not measured are known, too. Speeds
// without a batch size tell nothing of it, nor do those of batches that a GPU takes in several
// passes, whose number is not reported. What is stated of its uncertainty is the fit's error and
// what few points leave open.
func AddStepTimes(s *policy.Scaling, all []Measured, b *policy.BatchRange) {
	byType := map[string][]MeasuredStep{}
	for _, m := range usable(all) {
		if m.BatchSize <= 0 {
			continue
		}
		part := (m.BatchSize + m.Devices - 1) / m.Devices
		if part <= b.MostPerDevice {
			byType[m.Type] = append(byType[m.Type], MeasuredStep{Devices: m.Devices, Nodes: m.Nodes, PerDevice: part, StepSeconds: 1 / m.StepsPerSecond})
		}
	}
	s.Batch = b
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		if fit, sigma, ok := FitStepTime(byType[typ]); ok {
			fit.Type = typ
			s.StepTimes = append(s.StepTimes, fit)
			s.RelativeSigma = min(math.Hypot(assumedSigma/float64(1+len(byType[typ])), sigma), 1)
		}
	}
}

func usable(all []Measured) []Measured {
	var out []Measured
	for _, m := range all {
		if m.Devices > 0 && m.StepsPerSecond > 0 && !math.IsInf(m.StepsPerSecond, 0) {
			out = append(out, m)
		}
	}
	return out
}

// splitBySpread brings speeds to steps of one batch size, joins those of one size, and tells
// those on as few nodes as can be from the others.
func splitBySpread(all []Measured, batch int) (compact, spread []Measured) {
	all = slices.Clone(all)
	if i := slices.IndexFunc(all, func(m Measured) bool { return m.BatchSize > 0 }); i >= 0 && batch <= 0 {
		batch = all[i].BatchSize
	}
	for i := range all {
		if m := &all[i]; batch > 0 && m.BatchSize > 0 {
			m.StepsPerSecond *= float64(m.BatchSize) / float64(batch)
		}
		all[i].BatchSize = 0
	}
	slices.SortStableFunc(all, func(a, b Measured) int { return compareSizes(&a.SpeedPoint, &b.SpeedPoint) })
	for _, group := range groupBySize(all) {
		if m := join(group); m.Nodes == 0 {
			compact = append(compact, m)
		} else {
			spread = append(spread, m)
		}
	}
	return compact, spread
}

func compareSizes(a, b *policy.SpeedPoint) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Devices, b.Devices), cmp.Compare(a.Nodes, b.Nodes))
}

func groupBySize(sorted []Measured) (groups [][]Measured) {
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && compareSizes(&sorted[0].SpeedPoint, &sorted[n].SpeedPoint) == 0 {
			n++
		}
		groups, sorted = append(groups, sorted[:n]), sorted[n:]
	}
	return groups
}

// join is the mean of speeds on one size, each counted as often as it was seen.
func join(group []Measured) Measured {
	out := group[0]
	n, sum, squares := 0., 0., 0.
	for _, m := range group {
		w := float64(max(m.Count, 1))
		n, sum = n+w, sum+w*m.StepsPerSecond
		squares += w * m.StepsPerSecond * m.StepsPerSecond * (1 + m.RelativeSpread*m.RelativeSpread)
	}
	mean := sum / n
	out.Count, out.StepsPerSecond = int(n), mean
	out.RelativeSpread = math.Sqrt(max(squares/n-mean*mean, 0)) / mean
	return out
}

func pointsOf(all []Measured) []policy.SpeedPoint {
	out := make([]policy.SpeedPoint, len(all))
	for i := range all {
		out[i] = all[i].SpeedPoint
	}
	return out
}

// fitSerialPart fits Amdahl's law by least squares: devices/speed is a straight line of the
// devices beyond the first. The type that was measured on most sizes tells it; of fewer than two
// sizes it is the default.
func fitSerialPart(all []Measured) float64 {
	best := []Measured(nil)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Type == all[0].Type {
			n++
		}
		if n > len(best) {
			best = all[:n]
		}
		all = all[n:]
	}
	var n, x, y, xx, xy float64
	for _, m := range best {
		a, b := float64(m.Devices-1), float64(m.Devices)/m.StepsPerSecond
		n, x, y, xx, xy = n+1, x+a, y+b, xx+a*a, xy+a*b
	}
	if d := n*xx - x*x; len(best) >= 2 && d > 0 {
		slope := (n*xy - x*y) / d
		if first := (y - slope*x) / n; first > 0 {
			return min(max(slope/first, leastSerialPart), 1)
		}
		return 1 // more devices make it no faster, or slower
	}
	return DefaultSerialPart
}

// leastSerialPart keeps a fit of measurements from promising that no number of devices is too
// many.
const leastSerialPart = .001

// spreadSpeed is the mean speed on more nodes than needed relative to the curve's on as few as
// can be; 0: not known.
func spreadSpeed(curve *policy.Scaling, spread []Measured) float64 {
	n, sum := 0., 0.
	for _, m := range spread {
		if base := speedAmong(curve.Points, Size{Type: m.Type, Devices: m.Devices}, curve.SerialPart); base > 0 {
			w := float64(max(m.Count, 1))
			n, sum = n+w, sum+w*min(m.StepsPerSecond/base, 1)
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// sigmaOf is what is stated of a size that was not measured: less with every size that was, and
// no less than what was measured is itself uncertain.
func sigmaOf(all []Measured) float64 {
	noise := 0.
	for _, m := range all {
		noise = max(noise, m.RelativeSpread/math.Sqrt(float64(max(m.Count, 1))))
	}
	return min(math.Hypot(assumedSigma/float64(1+len(all)), noise), 1)
}
