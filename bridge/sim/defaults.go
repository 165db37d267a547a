package sim

import (
	"cmp"
	"strings"
	"time"
)

// withDefaults fills in what the zero value leaves to Slurm.
func (c Config) withDefaults() Config {
	c.Release = cmp.Or(c.Release, "26.05.5")
	c.Cluster = cmp.Or(c.Cluster, "sim")
	if c.Start.IsZero() {
		c.Start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	}
	c.Start = c.Start.UTC()
	c.RequeueDelay = cmp.Or(c.RequeueDelay, 120*time.Second)
	c.MinJobAge = cmp.Or(c.MinJobAge, 300*time.Second)
	c.BatchDelay = cmp.Or(c.BatchDelay, 3*time.Second)
	c.SchedInterval = cmp.Or(c.SchedInterval, time.Minute)
	c.BackfillInterval = cmp.Or(c.BackfillInterval, 30*time.Second)
	c.BackfillWindow = cmp.Or(c.BackfillWindow, 24*time.Hour)
	c.BackfillDepth = cmp.Or(c.BackfillDepth, 500)
	c.QueueDepth = cmp.Or(c.QueueDepth, 100)
	c.CompleteTime = cmp.Or(c.CompleteTime, 300*time.Millisecond)
	c.CalcPeriod = cmp.Or(c.CalcPeriod, 5*time.Minute)
	c.HalfLife = cmp.Or(c.HalfLife, 7*24*time.Hour)
	c.MaxAge = cmp.Or(c.MaxAge, 7*24*time.Hour)
	c.DefMemPerCPU = cmp.Or(c.DefMemPerCPU, 1_000)
	c.FirstJobID = cmp.Or(c.FirstJobID, 1)
	c.MaxJobID = cmp.Or(c.MaxJobID, 67_043_328)
	if w := c.Weights; w.Age == 0 && w.FairShare == 0 && w.JobSize == 0 && w.Partition == 0 && w.QOS == nil {
		c.Weights = Weights{Age: 1_000, FairShare: 10_000}
	}
	if len(c.Partitions) == 0 {
		c.Partitions = []Partition{{Name: "gpu", MaxTime: 7 * 24 * time.Hour}}
	}
	return c
}

// is2205 reports whether the release is 22.05, whose update rules differ.
func (c Config) is2205() bool { return strings.HasPrefix(c.Release, "22.05") }
