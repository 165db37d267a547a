package chart

import (
	"math"
	"strconv"
)

// axis maps values to pixels.
type axis struct {
	label    string
	from, to float64 // values
	low, top float64 // pixels of from and to
	log      bool
	ticks    []float64
}

// linear makes an axis that starts at 0 and ends at a round number.
func linear(label string, most float64) axis {
	if !(most > 0) || math.IsInf(most, 1) {
		most = 1
	}
	step := round(most / 5)
	a := axis{label: label, to: step * math.Ceil(most/step-1e-9)}
	for i := 0; float64(i)*step <= a.to*(1+1e-9); i++ {
		a.ticks = append(a.ticks, float64(i)*step)
	}
	return a
}

// round returns the next of 1, 2, 5, 10, … that is not smaller.
func round(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if x <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// logarithmic makes an axis around positive values.
func logarithmic(label string, least, most float64) axis {
	if !(least > 0) || math.IsInf(most, 1) || !(most > 0) {
		least, most = 1, 10
	}
	a := axis{label: label, log: true, from: least, to: max(most, least*1.5)}
	decades := math.Log10(a.to / a.from)
	marks := []float64{1, 2, 5}
	if decades > 3 {
		marks = marks[:1]
	}
	for e := math.Floor(math.Log10(a.from)); e <= math.Log10(a.to); e++ {
		for _, m := range marks {
			if t := m * math.Pow(10, e); t >= a.from*(1-1e-9) && t <= a.to*(1+1e-9) {
				a.ticks = append(a.ticks, t)
			}
		}
	}
	return a
}

// at returns the pixel of a value; values beyond the ends stay at them.
func (a axis) at(v float64) float64 {
	share := (v - a.from) / (a.to - a.from)
	if a.log {
		share = math.Log(v/a.from) / math.Log(a.to/a.from)
	}
	if math.IsNaN(share) || share < 0 {
		share = 0
	}
	return a.low + min(share, 1)*(a.top-a.low)
}

// number prints a tick: 0.5, 20, 1500.
func number(v float64) string { return strconv.FormatFloat(rounded(v, 6), 'f', -1, 64) }

// pixel prints a coordinate.
func pixel(v float64) string { return strconv.FormatFloat(rounded(v, 5), 'f', -1, 64) }

// rounded keeps so many digits.
func rounded(v float64, digits int) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return x
}

// unit chooses how to print seconds that reach so far.
func unit(most float64) (name string, seconds float64) {
	switch {
	case most < 3*60:
		return "seconds", 1
	case most < 3*3600:
		return "minutes", 60
	case most < 4*86400:
		return "hours", 3600
	}
	return "days", 86400
}
