package trace

import (
	"fmt"
	"math"

	"fairbridge/policy"
)

// mostGamma bounds policy.StepTime.Gamma.
const mostGamma = 10

// checkScaling says what is wrong with how a job's speed is told; nil is right.
func checkScaling(s *policy.Scaling) error {
	if s == nil {
		return nil
	}
	switch s.Source {
	case "", policy.ScalingFromTable, policy.ScalingFromReports, policy.ScalingFromClass, policy.ScalingFromRecurring, policy.ScalingAssumed:
	default:
		return newUnlocatedProblem("scaling.source", "%.30q, want table, reports, class, assumed or nothing", s.Source)
	}
	switch {
	case !(s.SerialPart >= 0 && s.SerialPart <= 1):
		return newUnlocatedProblem("scaling.serial", "%g, want 0 to 1", s.SerialPart)
	case !(s.SpreadSpeed >= 0 && s.SpreadSpeed <= 1):
		return newUnlocatedProblem("scaling.spread", "%g, want 0 (not known) to 1", s.SpreadSpeed)
	case !isAmount(s.RelativeSigma):
		return newUnlocatedProblem("scaling.sigma", "%g, want 0 or more", s.RelativeSigma)
	case s.MaxSeenDevices < 0:
		return newUnlocatedProblem("scaling.seen", "%d, want 0 or more", s.MaxSeenDevices)
	}
	for i := range s.Points {
		if err := checkPoint(fmt.Sprintf("scaling.points[%d]", i), &s.Points[i]); err != nil {
			return err
		}
	}
	for i := range s.StepTimes {
		if err := checkStepTime(fmt.Sprintf("scaling.step_times[%d]", i), &s.StepTimes[i]); err != nil {
			return err
		}
	}
	return checkBatchRange(s.Batch)
}

// isAmount reports whether a number is a finite one, 0 or more.
func isAmount(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }

func checkPoint(where string, p *policy.SpeedPoint) error {
	switch {
	case p.Devices < 1:
		return newUnlocatedProblem(where+".devices", "%d, want at least 1", p.Devices)
	case p.Nodes < 0:
		return newUnlocatedProblem(where+".nodes", "%d, want 0 (as few as can be) or more", p.Nodes)
	case p.BatchSize < 0:
		return newUnlocatedProblem(where+".batch", "%d, want 0 (that of the job) or more", p.BatchSize)
	case !(p.StepsPerSecond > 0) || math.IsInf(p.StepsPerSecond, 0):
		return newUnlocatedProblem(where+".steps", "%g steps a second, want more than 0; leave out sizes on which it cannot run", p.StepsPerSecond)
	}
	return nil
}

func checkStepTime(where string, t *policy.StepTime) error {
	for _, v := range []struct {
		name    string
		seconds float64
	}{{"ga", t.GradAlpha}, {"gb", t.GradBeta}, {"la", t.LocalAlpha}, {"lb", t.LocalBeta}, {"na", t.NetAlpha}, {"nb", t.NetBeta}} {
		if !isAmount(v.seconds) {
			return newUnlocatedProblem(where+"."+v.name, "%g s, want 0 or more", v.seconds)
		}
	}
	switch {
	case t.GradAlpha+t.GradBeta <= 0:
		return newUnlocatedProblem(where+".ga", "its gradient takes no time: give ga, gb or both")
	case !(t.Gamma >= 1 && t.Gamma <= mostGamma):
		return newUnlocatedProblem(where+".gamma", "%g, want 1 to %d", t.Gamma, mostGamma)
	}
	return nil
}

func checkBatchRange(b *policy.BatchRange) error {
	switch {
	case b == nil:
		return nil
	case b.Initial < 1:
		return newUnlocatedProblem("scaling.batch.initial", "%d, want at least 1", b.Initial)
	case b.Max < b.Initial && b.FixedSize == 0:
		return newUnlocatedProblem("scaling.batch.max", "%d, want at least initial, which is %d", b.Max, b.Initial)
	case b.LeastPerDevice < 0 || b.FixedSize < 0:
		return newUnlocatedProblem("scaling.batch", "least %d and fixed %d, want 0 or more", b.LeastPerDevice, b.FixedSize)
	case b.MostPerDevice < b.LeastPerDevice:
		return newUnlocatedProblem("scaling.batch.most", "%d, want at least least, which is %d", b.MostPerDevice, b.LeastPerDevice)
	case !isAmount(b.GradSqr):
		return newUnlocatedProblem("scaling.batch.sqr", "%g, want 0 or more", b.GradSqr)
	case !isAmount(b.GradVar):
		return newUnlocatedProblem("scaling.batch.var", "%g, want 0 or more", b.GradVar)
	}
	return nil
}
