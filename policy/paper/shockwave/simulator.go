package shockwave

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// authorsSettings returns k and lambda with which the authors ran clusters of
// about as many GPUs.
func authorsSettings(s *policy.Snapshot) (k, lambda float64) {
	gpus := s.WholeGPUs()
	switch { // between two of their sizes, by ratio
	case gpus < 32*math.Sqrt2:
		return 1e-3, 12
	case gpus < 64*math.Sqrt2:
		return 10, 5
	case gpus < 128*math.Sqrt2:
		return 1e-3, 15
	}
	return 1e5, 5
}

// disableBySizeIfGiven returns the system with BySize off where k or lambda are given.
func disableBySizeIfGiven(system paper.System) paper.System {
	newPolicy := system.New
	system.New = func(given paper.Params) (policy.Policy, error) {
		p, err := newPolicy(given)
		_, k := given["k"]
		_, lambda := given["lambda"]
		if err == nil && (k || lambda) {
			p.(*Policy).BySize = false
		}
		return p, err
	}
	return system
}
