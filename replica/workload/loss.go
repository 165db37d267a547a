package workload

import (
	"math"

	"fairbridge/policy"
)

// LossCurve is how the training loss of a job truly falls: Floor+Range/(1+Linear*k) after k
// parts of its work, or Floor+Range*Decay^k where Decay is set.
type LossCurve struct {
	Floor, Range  float64
	Linear, Decay float64
}

// At returns the loss after a part of the work, 0..1.
func (c *LossCurve) At(part float64) float64 {
	if c.Decay > 0 {
		return c.Floor + c.Range*math.Pow(c.Decay, part)
	}
	return c.Floor + c.Range/(1+c.Linear*part)
}

// lossReports are how many losses a job reports in all.
const lossReports = 200

// AppendReports adds to what a job reported the losses it went through until it had done so
// many of all steps.
func (c *LossCurve) AppendReports(reported []policy.LossPoint, done, steps float64) []policy.LossPoint {
	for steps > 0 && len(reported) <= lossReports {
		part := float64(len(reported)) / lossReports
		if part*steps > done {
			break
		}
		reported = append(reported, policy.LossPoint{Step: part * steps, Loss: c.At(part)})
	}
	return reported
}
