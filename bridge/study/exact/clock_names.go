package exact

import (
	"fmt"
	"strings"
	"time"
)

// The clock of intervals: the policy is asked when something happened, at most
// once a minute, and every ten minutes anyway; a restart costs half a minute.
const (
	defaultMinInterval = time.Minute
	defaultMaxInterval = 10 * time.Minute
	defaultRestartCost = 30 * time.Second
)

// clockConstructors are the ways in which time passes, each with the length of its rounds.
var clockConstructors = []struct {
	name string
	new  func() Clock
}{
	{"intervals", func() Clock { return NewEventClock(defaultMinInterval, defaultMaxInterval, defaultRestartCost) }},
	{"shockwave", ShockwaveClock},
	{"gavel", GavelClock},
}

// ClockNames are their names.
func ClockNames() []string {
	var names []string
	for _, c := range clockConstructors {
		names = append(names, c.name)
	}
	return names
}

// NewClockByName returns the clock of that name. A round that is not 0 takes the place
// of its own, or of the interval.
func NewClockByName(name string, round time.Duration) (Clock, error) {
	if round < 0 || round > 0 && round < time.Second {
		return Clock{}, fmt.Errorf("a round of %v: want at least a second", round)
	}
	for _, known := range clockConstructors {
		if known.name != name {
			continue
		}
		c := known.new()
		switch {
		case round == 0:
		case c.RoundLength > 0:
			c.RoundLength = round
		default:
			c.MinInterval = round
		}
		return c, nil
	}
	return Clock{}, fmt.Errorf("clock %q is unknown, there are %s", name, strings.Join(ClockNames(), ", "))
}
