package interference_test

import (
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/interference"
)

// TestRisk: the mean over a standard error more and less of what both use, and half the difference.
func TestRisk(t *testing.T) {
	unsure := busy(.7)
	unsure.Sharing.UtilisationSigma = .3
	for name, c := range map[string]struct {
		a, b        *policy.Job
		loss, sigma float64
	}{
		"both are sure":    {busy(.7), busy(.6), .13, 0},
		"one is not":       {unsure, busy(.6), (.27 + .07) / 2, .10},
		"none is faster":   {busy(.2), busy(.3), 0, 0},
		"one is not known": {busy(.7), &policy.Job{}, .24, .14 / .76 / 1.2816},
		"both are idle":    {busy(.1), busy(.05), .02, 0},
	} {
		loss, sigma := interference.Risk(c.a, c.b)
		near(t, name+": loss", loss, c.loss, 1e-3)
		near(t, name+": error", sigma, c.sigma, 1e-3)
	}
}
