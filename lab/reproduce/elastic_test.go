package reproduce

import (
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/replica/measure"
)

const elanSeconds = 2 * 86400

// elanDays are two days of a cluster of 128 GPUs, of which every second job runs on half to
// twice the GPUs it asks for, by Amdahl's law. A job that is started again, on another size for
// example, loses so many seconds.
func elanDays(seed int64, restartSeconds float64) exact.Config {
	jobs := generate.DayDrawer{DayCount: 2, ClusterGPUs: 128}.DrawJobs(seed)
	r := rand.New(rand.NewPCG(uint64(seed), 20))
	for i := range jobs {
		j := &jobs[i]
		j.RestartCostSeconds = restartSeconds
		if elastic, serial := r.IntN(2) == 0, .02+.13*r.Float64(); elastic {
			j.IsUnstoppable, j.MinGPUs, j.MaxGPUs = false, max(j.GPUs/2, 1), 2*j.GPUs
			j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: serial}
		}
	}
	return exact.Config{Nodes: cluster(16, 8, "v100"), Jobs: jobs, Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 0)}
}

// meanPending is how long jobs waited for their first start, in seconds.
func meanPending(run *measure.Run) float64 {
	sum := 0.0
	for _, j := range run.JobOutcomes {
		sum += j.Start - j.Arrive
	}
	return sum / float64(len(run.JobOutcomes))
}

// busyShare is the part of the GPUs that jobs held in the days in which jobs came.
func busyShare(run *measure.Run) float64 {
	used := 0.0
	for i, s := range run.Samples {
		until := float64(elanSeconds)
		if i+1 < len(run.Samples) {
			until = min(until, run.Samples[i+1].AtSeconds)
		}
		used += max(until-s.AtSeconds, 0) * float64(s.BusyGPUs)
	}
	return used / elanSeconds / float64(run.ClusterGPUs)
}

// TestReproduceElan: elastic sizes shorten the wait for the first start by three tenths at
// least, as the paper has 43 %, though a resize costs a minute; and more where it costs five
// seconds than where it costs three minutes. How much more of the GPUs is in use, 21 % in the
// paper, hangs on how wide the widest jobs are, and is only told.
func TestReproduceElan(t *testing.T) {
	const seeds = 15
	var reduced, points, cheap []float64
	for seed := int64(1); seed <= seeds; seed++ {
		runs := map[float64]*measure.Run{}
		for _, restart := range []float64{5, 60, 180} {
			c := elanDays(seed, restart)
			c.Policy = system(t, "elan", nil)
			runs[restart] = simulate(t, c)
		}
		c := elanDays(seed, 60)
		c.Policy = system(t, "fifo", nil)
		fifo := simulate(t, c)
		reduced = append(reduced, 1-meanPending(runs[60])/meanPending(fifo))
		points = append(points, 100*(busyShare(runs[60])-busyShare(fifo)))
		cheap = append(cheap, meanPending(runs[5])/meanPending(runs[180]))
	}
	t.Logf("pending time shorter by %.2f; points of use more: %.1f; pending time at 5 s over that at 180 s: %.2f", reduced, points, cheap)
	t.Logf("medians: %.3f, %.1f, %.3f", median(reduced), median(points), median(cheap))
	if m := median(reduced); m < .3 {
		t.Errorf("pending time is shorter by %.3f, want at least .3", m)
	}
	if m := median(cheap); m >= 1 {
		t.Errorf("where a resize costs 5 s pending time is %.3f of that where it costs 180 s, want less", m)
	}
}

// optimusDay is a day of a cluster of 64 GPUs whose jobs all run on one GPU to four times what
// they ask, by Amdahl's law, and report their steps and speeds.
func optimusDay(seed int64) exact.Config {
	jobs := generate.DayDrawer{DayCount: 1, ClusterGPUs: 64}.DrawJobs(seed)
	r := rand.New(rand.NewPCG(uint64(seed), 13))
	for i := range jobs {
		j := &jobs[i]
		j.IsUnstoppable, j.IsSilent, j.MinGPUs, j.MaxGPUs = false, false, 1, min(4*j.GPUs, 64)
		j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: .01 + .09*r.Float64()}
	}
	return exact.Config{Nodes: cluster(8, 8, "v100"), Jobs: jobs, Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 30*time.Second)}
}

// wrongSteps is a policy to which jobs tell wrongly how many steps they have left.
type wrongSteps struct {
	policy.Policy
	off float64 // by at most this part
}

// Decide implements policy.Policy.
func (w wrongSteps) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	told := s.Clone()
	for i := range told.Jobs {
		if t := told.Jobs[i].Training; t != nil {
			r := rand.New(rand.NewPCG(uint64(told.Jobs[i].ID), 20))
			t.Steps = t.StepsDone + (t.Steps-t.StepsDone)*(1+w.off*(2*r.Float64()-1))
		}
	}
	return w.Policy.Decide(told)
}

// TestReproduceOptimus: jobs complete on average in 1/1.3 of the time they take on the sizes they
// ask under DRF, at least (the paper has 1/2.39), and errors of 20 % in the steps they have left
// cost at most a tenth of that.
func TestReproduceOptimus(t *testing.T) {
	var ratios, errors []float64
	for seed := int64(1); seed <= 5; seed++ {
		jct := map[string]float64{}
		for _, name := range []string{"drf", "optimus", "wrong"} {
			c := optimusDay(seed)
			switch name {
			case "wrong":
				c.Policy = wrongSteps{system(t, "optimus", nil), .2}
			default:
				c.Policy = system(t, name, nil)
			}
			jct[name] = simulate(t, c).Summarize().AvgJCT
		}
		ratios, errors = append(ratios, jct["drf"]/jct["optimus"]), append(errors, jct["wrong"]/jct["optimus"])
	}
	t.Logf("average completion time of DRF over Optimus' %.3f, with steps 20 %% off over right ones %.3f", ratios, errors)
	t.Logf("medians %.3f and %.3f", median(ratios), median(errors))
	if m := median(ratios); m < 1.3 {
		t.Errorf("Optimus is %.3f times as fast as DRF, want at least 1.3", m)
	}
	if m := median(errors); m > 1.1 {
		t.Errorf("with steps 20 %% off it takes %.3f times as long, want at most 1.1", m)
	}
}
