package measure

import (
	"cmp"
	"maps"
	"slices"
)

// ComputeShareDeficit is what ShareDeficit of the run is to be: the part of the GPU time due to accounts
// that they did not get, 0 to 1. What is due to an account at a moment is its part of the cluster by weight among those that want GPUs
// then, at most what its jobs want, and what others do not want is shared out again (max-min
// fairness). Jobs want their GPUs from arrival to end. -1 where nothing was due, or where what
// accounts held was not kept.
func (r *Run) ComputeShareDeficit(weightOf func(account string) float64) float64 {
	var due, lacked, from float64
	wanted, held := map[string]float64{}, map[string]float64{}
	for _, e := range r.shareEvents() {
		if d := e.atSeconds - from; d > 0 {
			gpusByAccount := dueGPUs(float64(r.ClusterGPUs), wanted, weightOf)
			for _, name := range slices.Sorted(maps.Keys(gpusByAccount)) { // the last digits of a sum depend on its order
				due += gpusByAccount[name] * d
				lacked += max(gpusByAccount[name]-held[name], 0) * d
			}
		}
		from = e.atSeconds
		wanted[e.account] += e.wantedDelta
		if e.held != nil {
			held = e.held
		}
	}
	if !(due > 0) || len(r.Samples) == 0 || !r.hasAccountSamples() {
		return -1
	}
	return lacked / due
}

func (r *Run) hasAccountSamples() bool {
	return slices.ContainsFunc(r.Samples, func(s ClusterSample) bool { return s.GPUsByAccount != nil })
}

// shareEvent is a change of what accounts want, or of what they hold.
type shareEvent struct {
	atSeconds   float64
	account     string
	wantedDelta float64
	held        map[string]float64 // nil: unchanged
}

// shareEvents returns all in the order of time.
func (r *Run) shareEvents() []shareEvent {
	out := make([]shareEvent, 0, 2*len(r.JobOutcomes)+len(r.Samples))
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		n := float64(j.GPUCount)
		out = append(out, shareEvent{j.Arrive, j.Account, n, nil}, shareEvent{j.Finish, j.Account, -n, nil})
	}
	for i := range r.Samples {
		out = append(out, shareEvent{atSeconds: r.Samples[i].AtSeconds, held: r.Samples[i].GPUsByAccount})
	}
	slices.SortStableFunc(out, func(a, b shareEvent) int { return cmp.Compare(a.atSeconds, b.atSeconds) })
	return out
}

// dueGPUs shares the GPUs out by weight: who wants less than its part gets what it wants, and the
// rest is shared out among the others.
func dueGPUs(gpus float64, wanted map[string]float64, weightOf func(string) float64) map[string]float64 {
	due := map[string]float64{}
	var names []string
	weights := 0.0
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if w := weightOf(name); wanted[name] > 0 && w > 0 {
			names, weights = append(names, name), weights+w
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(wanted[a]*weightOf(b), wanted[b]*weightOf(a)) })
	for _, name := range names { // the first wants least for its weight
		w := weightOf(name)
		due[name] = min(wanted[name], gpus*w/weights)
		gpus, weights = gpus-due[name], weights-w
	}
	return due
}
