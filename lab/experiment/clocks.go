// Package experiment prepares studies: it reads or draws scenarios, and says how time passes in a simulation without
// Slurm. Each such clock is a row of one table: its name, its settings, and what simulates by it. Rounds and intervals are
// package exact's own; the simulator of another artifact is a package with a function of the same shape as exact.Run, which
// gets the row's settings as Config.Clock, and one line here.
package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/fluid"
	"fairbridge/lab/packs"
	"fairbridge/lab/slots"
	"fairbridge/replica/goodput"
	"fairbridge/replica/measure"
	"fairbridge/replica/study"
)

// The clock of intervals: the policy is asked when something happened, at most
// once a minute, and every ten minutes anyway; a restart costs half a minute.
const (
	defaultMinInterval = time.Minute
	defaultMaxInterval = 10 * time.Minute
)

// simulator runs a policy on a workload until all jobs are done.
type simulator func(exact.Config) (*measure.Run, error)

// clock is a way in which time passes.
type clock struct {
	name     string
	settings func() exact.Clock
	simulate simulator
}

var clocks = []clock{
	{"intervals", func() exact.Clock {
		return exact.NewEventClock(defaultMinInterval, defaultMaxInterval, study.DefaultRestartCost)
	}, exact.Run},
	{"shockwave", exact.ShockwaveClock, exact.Run},
	{"gavel", exact.GavelClock, exact.Run},
	{fluid.ClockName, func() exact.Clock { return exact.Clock{} }, fluid.Simulate},
	{"elasticflow", slots.Clock, slots.Run},
	{packs.ClockName, func() exact.Clock { return exact.Clock{} }, packs.Simulate},
	{"pollux", exact.PolluxClock, exact.Run},
	{"sia", exact.PolluxClock, runSia},
}

// ClockNames are the names of all clocks.
func ClockNames() []string {
	names := make([]string, len(clocks))
	for i, c := range clocks {
		names[i] = c.name
	}
	return names
}

// NewClock returns the settings of the clock of that name. A round that is not 0 takes the place
// of its own, or of the interval. Errors list the clocks there are.
func NewClock(name string, round time.Duration) (exact.Clock, error) {
	if round < 0 || round > 0 && round < time.Second {
		return exact.Clock{}, fmt.Errorf("a round of %v: want at least a second", round)
	}
	for _, known := range clocks {
		if known.name != name {
			continue
		}
		c := known.settings()
		switch {
		case round == 0:
		case c.RoundLength > 0:
			c.RoundLength = round
		case c.LockstepInterval > 0:
			c.LockstepInterval = round
		default:
			c.MinInterval = round
		}
		return c, nil
	}
	return exact.Clock{}, fmt.Errorf("clock %q is unknown, there are %s", name, strings.Join(ClockNames(), ", "))
}

// SimulatorOf returns what simulates by the clock of that name; exact.Run for one without a
// name, whose settings were made by hand.
func SimulatorOf(name string) simulator {
	for _, known := range clocks {
		if known.name == name {
			return known.simulate
		}
	}
	return exact.Run
}

// runSia is exact.Run with jobs calibrated as in Sia's simulator. Those that tell what they
// measured tell what they do there.
func runSia(c exact.Config) (*measure.Run, error) {
	if c.Information == goodput.Measured || c.Information == "" {
		c.Information = goodput.Compared
	}
	c.Jobs = slices.Clone(c.Jobs)
	for i := range c.Jobs {
		j := &c.Jobs[i]
		if j.Goodput == nil {
			continue
		}
		calibrated := *j.Goodput
		calibrated.Application = calibrated.CalibratedAsSia()
		j.Goodput = &calibrated
		j.RestartCostSeconds = cmp.Or(j.RestartCostSeconds, calibrated.RestartSeconds)
	}
	return exact.Run(c)
}
