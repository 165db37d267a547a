package measure

import (
	"math"
	"testing"
)

// boundRun is a run of jobs given as arrival, GPUs and run time alone, on so many GPUs.
func boundRun(gpus int, jobs ...[3]float64) *Run {
	r := &Run{ClusterGPUs: gpus}
	for _, j := range jobs {
		r.JobOutcomes = append(r.JobOutcomes, JobOutcome{Arrive: j[0], GPUCount: int(j[1]), ExclusiveRunSeconds: j[2]})
	}
	return r
}

// TestLowerBounds wants bounds that were worked out by hand.
func TestLowerBounds(t *testing.T) {
	for _, c := range []struct {
		name             string
		run              *Run
		makespan, avgJCT float64
	}{
		{"nothing", &Run{}, 0, 0},
		{"one job", boundRun(4, [3]float64{10, 2, 100}), 110, 100},
		// The whole cluster each, one after the other, shortest first: 10 and 40.
		{"by turns", boundRun(2, [3]float64{0, 2, 30}, [3]float64{0, 2, 10}), 40, 25},
		// At 5 the long one has 25 left and gives way: 10 and 40 from arrival.
		{"one gives way", boundRun(2, [3]float64{0, 2, 30}, [3]float64{5, 2, 10}), 40, 25},
		// What arrives at 100 is all there is then: 100 + 2·60/2.
		{"after a gap", boundRun(2, [3]float64{0, 1, 10}, [3]float64{100, 1, 60}, [3]float64{100, 1, 60}), 160, (10 + 60 + 60) / 3.},
		// Three jobs of one GPU on two: on one machine twice as fast each takes 5, worked on at
		// 2.5, 7.5 and 12.5 in the mean; half of 10 on top: 7.5, 12.5, 17.5.
		{"half the run time on top", boundRun(2, [3]float64{0, 1, 10}, [3]float64{0, 1, 10}, [3]float64{0, 1, 10}), 15, 12.5},
	} {
		b := c.run.LowerBounds()
		if math.Abs(b.Makespan-c.makespan) > 1e-9 || math.Abs(b.AvgJCT-c.avgJCT) > 1e-9 {
			t.Errorf("%s: makespan ≥ %g, mean completion ≥ %g, want %g and %g", c.name, b.Makespan, b.AvgJCT, c.makespan, c.avgJCT)
		}
	}
}
