package exact

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/policy"
)

// TestHistory wants the latest finished jobs, by service.
func TestHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, kinds := rapid.IntRange(0, 2*maxFinishedJobs+5).Draw(t, "jobs"), rapid.IntRange(1, 7).Draw(t, "kinds")
		var all []policy.FinishedJob
		var p finishedJobs
		for i := range n {
			s := policy.FinishedJob{GPUs: 1 + i%2, Service: policy.GPUSeconds(i * i % kinds)}
			all = append(all, s)
			p.addJob(s)
		}
		want := slices.Clone(all[max(n-maxFinishedJobs, 0):])
		slices.SortFunc(want, compareService)
		if diff := cmp.Diff(want, slices.Clone(p.sortedByService)); diff != "" {
			t.Fatal(diff)
		}
	})
}
