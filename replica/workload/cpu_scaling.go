package workload

import (
	"errors"
	"fmt"
	"math"

	"fairbridge/policy"
)

// CheckCPUScaling says what makes no sense of how a job's speed is told to depend on cores and memory; nil
// where all does, and where nothing is told.
func CheckCPUScaling(c *policy.CPUScaling) error {
	if c == nil {
		return nil
	}
	if len(c.Points) == 0 {
		return errors.New("it has no points; give one or more, or leave it out")
	}
	for i, p := range c.Points {
		switch {
		case !(p.CPUs > 0) || math.IsInf(p.CPUs, 0):
			return fmt.Errorf("points[%d]: %g cpus, want more than 0", i, p.CPUs)
		case p.MemMB < 0:
			return fmt.Errorf("points[%d]: mem_mb %d, want 0 or more", i, p.MemMB)
		case !(p.Speed > 0) || math.IsInf(p.Speed, 0):
			return fmt.Errorf("points[%d]: speed %g, want more than 0; leave out amounts with which it cannot run", i, p.Speed)
		case i > 0 && !isBefore(c.Points[i-1], p):
			return fmt.Errorf("points[%d]: want them sorted by cpus, then mem_mb, each once", i)
		}
	}
	return nil
}

// isBefore reports whether a point comes before another.
func isBefore(a, b policy.CPUPoint) bool {
	return a.CPUs < b.CPUs || a.CPUs == b.CPUs && a.MemMB < b.MemMB
}
