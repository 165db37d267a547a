package metis

import (
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/policy/solve/gaussian"
)

// kernel says how far the logarithm of a speed is thought to be off Amdahl's law, by octaves of GPUs, and how noisy
// reports are.
var kernel = gaussian.Kernel{Length: 1, Sigma: .5, Noise: .05}

// serialParts are tried for Amdahl's law: the parts of a step that do not get faster with GPUs.
var serialParts = []float64{.01, .03, scaling.DefaultSerialPart, .1, .2, .4}

// search is what is known of how fast jobs of one kind go.
type search struct {
	process  *gaussian.Process
	serial   float64
	level    float64 // logarithm of the speed on one GPU
	measured []int   // sizes, ascending
	tried    []int   // those and the ones that are run on now
}

// newSearch takes in the speeds that were reported by size, and sizes on which jobs of the kind run now and of which
// nothing was reported yet: these count as tried, with what is expected of them. It is nil where nothing was reported.
func newSearch(points []policy.SpeedPoint, running []int) *search {
	s := fitSearch(points)
	if s == nil {
		return nil
	}
	var expected []policy.SpeedPoint
	for _, n := range running {
		if !slices.Contains(s.tried, n) {
			expected = append(expected, policy.SpeedPoint{Devices: n, StepsPerSecond: s.speed(n)})
		}
	}
	if len(expected) > 0 {
		measured := s.tried
		s = fitSearch(append(slices.Clone(points), expected...))
		s.measured = measured
	}
	return s
}

// fitSearch chooses the law by which the speeds are likeliest.
func fitSearch(points []policy.SpeedPoint) *search {
	var best *search
	for _, serial := range serialParts {
		s := &search{serial: serial}
		var xs, ys []float64
		for _, p := range points {
			if p.Devices > 0 && p.StepsPerSecond > 0 {
				xs, ys = append(xs, math.Log2(float64(p.Devices))), append(ys, math.Log(p.StepsPerSecond)-s.law(p.Devices))
				s.tried = append(s.tried, p.Devices)
			}
		}
		for _, y := range ys {
			s.level += y / float64(len(ys))
		}
		for i := range ys {
			ys[i] -= s.level
		}
		slices.Sort(s.tried)
		s.tried = slices.Compact(s.tried)
		s.measured = s.tried
		var err error
		if s.process, err = gaussian.Fit(kernel, xs, ys); err != nil || len(ys) == 0 {
			return nil
		}
		if best == nil || s.fit() > best.fit() {
			best = s
		}
	}
	return best
}

// fit is how well the law suits what was reported. Of one size all do, and the assumed part is taken.
func (s *search) fit() float64 {
	away := math.Log(s.serial / scaling.DefaultSerialPart)
	return s.process.LogLikelihood() - away*away/8
}

// law is the logarithm of the speed on so many GPUs over that on one, by Amdahl's law.
func (s *search) law(devices int) float64 {
	n := float64(devices)
	return math.Log(n / (1 + s.serial*(n-1)))
}

// logSpeed returns the logarithm of the speed on so many GPUs and its standard error.
func (s *search) logSpeed(devices int) (mean, sigma float64) {
	mean, sigma = s.process.At(math.Log2(float64(devices)))
	return mean + s.law(devices) + s.level, sigma
}

// speed is what is expected on so many GPUs.
func (s *search) speed(devices int) float64 {
	mean, _ := s.logSpeed(devices)
	return math.Exp(mean)
}

// choose returns the size of those that may be on which the next run is to be, and whether it is one to
// try: that which promises most while sizes may be tried and it promises enough, else the best that was measured; where none
// of them was, that which is expected to be.
func (p *Policy) choose(s *search, sizes []int) (devices int, isTry bool) {
	best, known := math.Inf(-1), false
	for _, n := range sizes {
		mean, _ := s.logSpeed(n)
		if isKnown := slices.Contains(s.measured, n); isKnown && !known || isKnown == known && mean > best {
			best, devices, known = mean, n, isKnown
		}
	}
	if len(s.tried) >= p.Tries || !known {
		return devices, false
	}
	hope := p.MinGain
	for _, n := range sizes {
		mean, sigma := s.logSpeed(n)
		if gain := gaussian.ExpectedImprovement(mean, sigma, best, margin); gain > hope && !slices.Contains(s.tried, n) {
			hope, devices, isTry = gain, n, true
		}
	}
	return devices, isTry
}

// margin is by how much a size must be better at all, in the logarithm of speed.
const margin = .01
