package chart

import (
	"fmt"
	"time"
)

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
