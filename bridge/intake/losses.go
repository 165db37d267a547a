package intake

import (
	"slices"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// addLosses adds what the job reported of its training loss, in all its runs and just now. Of a job
// that waits, or tells nothing else of its work, they are all that is known of that.
func addLosses(out *policy.Job, known *bridge.Past, now *policy.LossPoint) {
	var points []policy.LossPoint
	steps := 0.0
	if known != nil && known.LossesOf != nil {
		past := known.LossesOf(out)
		points, steps = past.Points, past.TotalSteps
	}
	if now != nil && out.HoldsGPUs() {
		kept := 0 // who reports fewer steps than before has lost what he reported beyond
		for kept < len(points) && points[kept].Step < now.Step {
			kept++
		}
		points = append(slices.Clone(points[:kept]), *now)
	}
	if len(points) == 0 {
		return
	}
	t := policy.Training{Steps: steps, StepsDone: points[len(points)-1].Step}
	if out.Training != nil {
		t = *out.Training
	}
	t.Losses = points
	out.Training = &t
}
