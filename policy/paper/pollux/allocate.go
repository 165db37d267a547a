package pollux

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/scaling"
	"fairbridge/policy/sizing"
)

// goodputAllocator shares the GPUs of each type among the jobs that may run on them.
type goodputAllocator struct{ *Policy }

// Allocate implements engine.Allocator.
func (a goodputAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	assignments := make([]engine.Assignment, len(r.Entries))
	for i, e := range r.Entries {
		assignments[i] = sizing.LeastWithoutLease(e)
	}
	sizing.Share(r, assignments, func(*engine.Entry) bool { return true }, a)
	line := make([]engine.Assignment, 0, len(assignments))
	for _, e := range sizing.ByArrival(r.Entries) {
		line = append(line, assignments[e.Index])
	}
	return line, nil
}

// Judge implements sizing.Judge: every place is worth its speedup.
func (a goodputAllocator) Judge(g *sizing.Group) []sizing.Worth {
	share := max(g.Devices/max(len(g.Jobs)+len(g.Fixed), 1), 1)
	all := make([]sizing.Worth, len(g.Jobs))
	for i, e := range g.Jobs {
		speedup := newSpeedup(g, e.Job, share)
		options := []int{e.DeviceCount()}
		if sizing.HasRange(e) {
			options = g.Sizes(e, e.MinGPUs, sizing.MostMeasured(e))
		}
		all[i] = sizing.Worth{Options: options, Of: speedup, Change: a.restartFactor(g.Round, e.Job), Note: func(devices, nodes int) string {
			return fmt.Sprintf("on %s it is %.2f times as fast as on its fair share of %d", policy.FormatCount(devices, "GPU"), speedup(devices, nodes), share)
		}}
	}
	return all
}

// leastFactor is the least that a job keeps of its worth elsewhere: it is never worthless to start.
const leastFactor = 1e-3

// restartFactor is what a job keeps of its worth if it restarted now.
func (p *Policy) restartFactor(r *engine.Round, j *policy.Job) float64 {
	cost := sizing.RestartRule{Cost: p.Restart}.CostOf(j)
	return max(sizing.LifeFactor(r.Now.Sub(j.Arrive), cost, j.StopCount), leastFactor)
}

// newSpeedup returns the speedup of a job over its fair share: its goodput by that on as many
// devices as each job would have, on as few nodes as can be. A job that cannot use so many is
// compared with what it can.
func newSpeedup(g *sizing.Group, j *policy.Job, share int) func(devices, nodes int) float64 {
	curve := scaling.New(j)
	fair := 0.
	for part := share; part > 0 && fair <= 0; part /= 2 {
		fair = curve.Goodput(scaling.Size{Type: g.GPUType, Devices: part, Nodes: (part + g.MostOnNode - 1) / g.MostOnNode}) * float64(share) / float64(part)
	}
	goodput := g.GoodputOf(j)
	return func(devices, nodes int) float64 {
		if fair <= 0 {
			return 0
		}
		return goodput(devices, nodes) / fair
	}
}
