package chart

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// axis maps values to pixels.
type axis struct {
	label              string
	minValue, maxValue float64 // values
	minPixel, maxPixel float64 // pixels of from and to
	isLogarithmic      bool
	ticks              []float64
	tickText           func(v float64) string // nil: the number
}

// textOf prints a tick.
func (a axis) textOf(v float64) string {
	if a.tickText == nil {
		return formatTick(v)
	}
	return a.tickText(v)
}

// newLinearAxis makes an axis that starts at 0 and ends at a round number.
func newLinearAxis(label string, most float64) axis {
	if !(most > 0) || math.IsInf(most, 1) {
		most = 1
	}
	step := roundUpToTick(most / 5)
	a := axis{label: label, maxValue: step * math.Ceil(most/step-1e-9)}
	for i := 0; float64(i)*step <= a.maxValue*(1+1e-9); i++ {
		a.ticks = append(a.ticks, float64(i)*step)
	}
	return a
}

// roundUpToTick returns the next of 1, 2, 5, 10, … that is not smaller.
func roundUpToTick(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if x <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// newLogAxis makes an axis around positive values.
func newLogAxis(label string, least, most float64) axis {
	if !(least > 0) || math.IsInf(most, 1) || !(most > 0) {
		least, most = 1, 10
	}
	a := axis{label: label, isLogarithmic: true, minValue: least, maxValue: max(most, least*1.5)}
	decades := math.Log10(a.maxValue / a.minValue)
	marks := []float64{1, 2, 5}
	if decades > 3 {
		marks = marks[:1]
	}
	for e := math.Floor(math.Log10(a.minValue)); e <= math.Log10(a.maxValue); e++ {
		for _, m := range marks {
			if t := m * math.Pow(10, e); t >= a.minValue*(1-1e-9) && t <= a.maxValue*(1+1e-9) {
				a.ticks = append(a.ticks, t)
			}
		}
	}
	return a
}

// pixelOf returns the pixel of a value; values beyond the ends stay at them.
func (a axis) pixelOf(v float64) float64 {
	share := (v - a.minValue) / (a.maxValue - a.minValue)
	if a.isLogarithmic {
		share = math.Log(v/a.minValue) / math.Log(a.maxValue/a.minValue)
	}
	if math.IsNaN(share) || share < 0 {
		share = 0
	}
	return a.minPixel + min(share, 1)*(a.maxPixel-a.minPixel)
}

// formatTick prints a tick: 0.5, 20, 1500.
func formatTick(v float64) string { return strconv.FormatFloat(roundToDigits(v, 6), 'f', -1, 64) }

// formatPixel prints a coordinate.
func formatPixel(v float64) string { return strconv.FormatFloat(roundToDigits(v, 5), 'f', -1, 64) }

// roundToDigits keeps so many digits.
func roundToDigits(v float64, digits int) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return x
}

// ChooseTimeUnit chooses how to print seconds that reach so far.
func ChooseTimeUnit(most float64) (name string, seconds float64) {
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

// mostDayTicks is how many days an axis names at most: more have no room beside each other.
const mostDayTicks = 10

// daySteps are how many days may lie between two that an axis names.
var daySteps = []int{1, 2, 7, 14, 28, 91, 182, 364}

// newDayAxis makes an axis of days from a first one on, which is 0, to another.
func newDayAxis(label string, first time.Time, most float64) axis {
	a := newLinearAxis(label, most)
	last := max(int(most), 1)
	step := daySteps[len(daySteps)-1]
	for _, s := range daySteps {
		if last/s < mostDayTicks {
			step = s
			break
		}
	}
	a.maxValue, a.ticks = float64(last), nil
	for day := 0; day <= last; day += step {
		a.ticks = append(a.ticks, float64(day))
	}
	end := first.AddDate(0, 0, last)
	layout := "2 Jan"
	if first.Year() == end.Year() {
		a.label = fmt.Sprintf("%s, %d", label, end.Year())
	} else {
		layout = "2 Jan 06"
	}
	a.tickText = func(v float64) string { return first.AddDate(0, 0, int(v)).Format(layout) }
	return a
}
