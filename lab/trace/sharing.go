package trace

import (
	"slices"

	"fairbridge/policy"
)

// checkSharing says what makes no sense of what is known of a job beside neighbours.
func checkSharing(s *policy.Sharing) error {
	if s == nil {
		return nil
	}
	amounts := []float64{float64(s.JobsPerGPU), float64(s.MemMB), float64(s.KeptMemMB), s.Utilisation.Value, s.MemUtilisation.Value, s.StepSeconds}
	for _, v := range slices.Concat(amounts, s.StageSeconds) {
		if !(v >= 0) || v > maxBelievedSeconds {
			return newUnlocatedProblem("sharing", "%g makes no sense", v)
		}
	}
	return nil
}
