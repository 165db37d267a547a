package exact

import (
	"fairbridge/replica/measure"
)

// maxSamples is how many samples a run keeps; when there are more, every second one
// is dropped and they are taken half as often.
const maxSamples = 4096

// timeline is the cluster over time.
type timeline struct {
	samples           []measure.ClusterSample
	minSampleInterval float64 // least time between two samples
}

// recordSample takes a sample of so many GPUs in use, with the jobs that run and how
// many wait, unless the last sample is still fresh.
func (t *timeline) recordSample(now float64, gpus int, running []*job, waiting, accounts int) {
	if n := len(t.samples); n > 0 && now-t.samples[n-1].AtSeconds < t.minSampleInterval {
		return
	}
	if len(t.samples) == maxSamples {
		t.dropEverySecondSample()
	}
	by := make(map[string]float64, accounts)
	for _, j := range running {
		by[j.Account] += float64(j.heldAlloc.Count())
	}
	t.samples = append(t.samples, measure.ClusterSample{AtSeconds: now, BusyGPUs: gpus, RunningJobs: len(running), QueuedJobs: waiting, GPUsByAccount: by})
}

func (t *timeline) dropEverySecondSample() {
	n := 0
	for i := 0; i < len(t.samples); i += 2 {
		t.samples[n] = t.samples[i]
		n++
	}
	clear(t.samples[n:])
	t.samples = t.samples[:n]
	t.minSampleInterval = max(2*t.minSampleInterval, (t.samples[n-1].AtSeconds-t.samples[0].AtSeconds)/maxSamples*2)
}

// contention counts the jobs present: their sum over rounds or seconds, and
// those.
type contention struct{ jobSum, weightSum float64 }

func (c *contention) add(jobs, span float64) {
	c.jobSum, c.weightSum = c.jobSum+jobs*span, c.weightSum+span
}

// meanSince returns the mean number of jobs since an earlier count.
func (c contention) meanSince(then contention) float64 {
	if c.weightSum == then.weightSum {
		return 1
	}
	return (c.jobSum - then.jobSum) / (c.weightSum - then.weightSum)
}
