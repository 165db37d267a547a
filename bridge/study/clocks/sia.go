package clocks

import (
	"cmp"
	"slices"

	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/goodput"
	"fairbridge/bridge/study/measure"
)

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
