package measure

import (
	"math"
	"testing"
)

func TestComputeShareDeficit(t *testing.T) {
	weightOf := func(account string) float64 { return map[string]float64{"a": 1, "b": 3}[account] }
	jobs := []JobOutcome{{Account: "a", GPUCount: 8, Arrive: 0, Finish: 100}, {Account: "b", GPUCount: 8, Arrive: 0, Finish: 100}}
	samples := func(a, b float64) []ClusterSample {
		return []ClusterSample{{AtSeconds: 0, GPUsByAccount: map[string]float64{"a": a, "b": b}}}
	}
	for _, c := range []struct {
		name    string
		jobs    []JobOutcome
		samples []ClusterSample
		want    float64
	}{
		{"each has its share", jobs, samples(2, 6), 0},
		{"b lacks four of its six", jobs, samples(6, 2), .5},
		{"nothing runs", jobs, samples(0, 0), 1},
		{"who wants little is due no more", []JobOutcome{{Account: "a", GPUCount: 8, Finish: 100}, {Account: "b", GPUCount: 2, Finish: 100}}, samples(6, 2), 0},
		{"what a does not want is b's", []JobOutcome{{Account: "a", GPUCount: 1, Finish: 100}, {Account: "b", GPUCount: 8, Finish: 100}}, samples(1, 6), 1. / 8},
		{"b comes when half is over", []JobOutcome{{Account: "a", GPUCount: 8, Finish: 100}, {Account: "b", GPUCount: 8, Arrive: 50, Finish: 100}}, samples(8, 0), 6 * 50. / 800},
		{"not kept", jobs, []ClusterSample{{BusyGPUs: 8}}, -1},
		{"no jobs", nil, samples(0, 0), -1},
	} {
		r := &Run{ClusterGPUs: 8, JobOutcomes: c.jobs, Samples: c.samples}
		if got := r.ComputeShareDeficit(weightOf); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
