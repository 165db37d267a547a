package exact

import (
	"fmt"
	"strings"
	"time"
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
	new  func() Clock
}{
	{"intervals", func() Clock { return Intervals(interval, recheck, restart) }},
	{"shockwave", Shockwave},
	{"gavel", Gavel},
}

// ClockNames are their names.
func ClockNames() []string {
	var names []string
	for _, c := range clocks {
		names = append(names, c.name)
	}
	return names
}

// NamedClock returns the clock of that name. A round that is not 0 takes the place
// of its own, or of the interval.
func NamedClock(name string, round time.Duration) (Clock, error) {
	if round < 0 || round > 0 && round < time.Second {
		return Clock{}, fmt.Errorf("a round of %v: want at least a second", round)
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
	return Clock{}, fmt.Errorf("clock %q is unknown, there are %s", name, strings.Join(ClockNames(), ", "))
}
