package sim

import (
	"cmp"
	"strings"
	"time"
)

// withDefaults fills in what the zero value leaves to Slurm.
func (c Config) withDefaults() Config {
	c.Release = cmp.Or(c.Release, "26.05.5")
	c.ClusterName = cmp.Or(c.ClusterName, "sim")
	if c.Start.IsZero() {
		c.Start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	}
	c.Start = c.Start.UTC()
	c.RequeueDelay = cmp.Or(c.RequeueDelay, 120*time.Second)
	c.MinJobAge = cmp.Or(c.MinJobAge, 300*time.Second)
	c.MinPassInterval = cmp.Or(c.MinPassInterval, 3*time.Second)
	c.FullPassInterval = cmp.Or(c.FullPassInterval, time.Minute)
	c.BackfillInterval = cmp.Or(c.BackfillInterval, 30*time.Second)
	c.BackfillWindow = cmp.Or(c.BackfillWindow, 24*time.Hour)
	c.BackfillResolution = cmp.Or(c.BackfillResolution, time.Minute)
	c.BackfillDepth = cmp.Or(c.BackfillDepth, 500)
	c.EventPassDepth = cmp.Or(c.EventPassDepth, 100)
	c.EpilogTime = cmp.Or(c.EpilogTime, 300*time.Millisecond)
	c.PriorityCalcPeriod = cmp.Or(c.PriorityCalcPeriod, 5*time.Minute)
	c.UsageHalfLife = cmp.Or(c.UsageHalfLife, 7*24*time.Hour)
	c.PriorityMaxAge = cmp.Or(c.PriorityMaxAge, 7*24*time.Hour)
	c.DefMemPerCPU = cmp.Or(c.DefMemPerCPU, 1_000)
	c.FirstJobID = cmp.Or(c.FirstJobID, 1)
	c.MaxJobID = cmp.Or(c.MaxJobID, 67_043_328)
	if w := c.PriorityWeights; w.Age == 0 && w.FairShare == 0 && w.JobSize == 0 && w.Partition == 0 && w.PointsByQOS == nil {
		c.PriorityWeights = PriorityWeights{Age: 1_000, FairShare: 10_000}
	}
	if len(c.Partitions) == 0 {
		c.Partitions = []Partition{{Name: "gpu", MaxTime: 7 * 24 * time.Hour}}
	}
	return c
}

// is2205 reports whether the release is 22.05, whose update rules differ.
func (c Config) is2205() bool { return strings.HasPrefix(c.Release, "22.05") }
