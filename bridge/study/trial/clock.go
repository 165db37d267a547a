package trial

import (
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge/study/exact"
)

// The clock of intervals: the policy is asked when something happened, at most
// once a minute, and every ten minutes anyway; a restart costs half a minute.
const (
	interval = time.Minute
	recheck  = 10 * time.Minute
	restart  = 30 * time.Second
)

// clocks are the ways in which time passes, each with the length of its rounds.
var clocks = []struct {
	name string
	new  func() exact.Clock
}{
	{"intervals", func() exact.Clock { return exact.Intervals(interval, recheck, restart) }},
	{"shockwave", exact.Shockwave},
	{"gavel", exact.Gavel},
}

// Clocks are their names.
func Clocks() []string {
	var names []string
	for _, c := range clocks {
		names = append(names, c.name)
	}
	return names
}

// ClockFor is the clock that fits the workload: that of Shockwave's simulator
// for training jobs whose speeds stand in tables.
func ClockFor(w *Workload) string {
	for i := range w.Jobs {
		if w.Jobs[i].Training != nil {
			return "shockwave"
		}
	}
	return "intervals"
}

// Clock returns the clock of that name. A round that is not 0 takes the place
// of its own, or of the interval.
func Clock(name string, round time.Duration) (exact.Clock, error) {
	if round < 0 || round > 0 && round < time.Second {
		return exact.Clock{}, fmt.Errorf("a round of %v: want at least a second", round)
	}
	for _, known := range clocks {
		if known.name != name {
			continue
		}
		c := known.new()
		switch {
		case round == 0:
		case c.Round > 0:
			c.Round = round
		default:
			c.Every = round
		}
		return c, nil
	}
	return exact.Clock{}, fmt.Errorf("clock %q is unknown, there are %s", name, strings.Join(Clocks(), ", "))
}
