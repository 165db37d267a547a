package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"runtime"

	"fairbridge/lab/generate"
	"fairbridge/replica/policyset"
	"fairbridge/replica/published"
)

// writeSpeedComparison compares wall times with those of the published simulator.
func writeSpeedComparison(ctx context.Context, page *bytes.Buffer, o Options) error {
	sizes := published.WallTimeSizes[:]
	if o.IsQuick {
		sizes = sizes[:1]
	}
	fmt.Fprint(page, "\n## Speed\n\nWall time of one simulation, the least of three: ours on a drawn workload of the size,\nand in brackets that of the published simulator on its own trace of the size, where it\nwas measured (two cores, Python, open solvers), with the ratio.\n\n")
	cells := []string{"Policy"}
	for _, s := range sizes {
		cells = append(cells, fmt.Sprintf("%d jobs, %d GPUs", s.JobCount, s.ClusterGPUs))
	}
	writeHeader(page, cells...)
	for _, wall := range published.PolicyWallTimes {
		cells, err := newSpeedRow(ctx, wall, sizes, o)
		if err != nil {
			return err
		}
		writeRow(page, cells...)
	}
	return nil
}

// newSpeedRow is the row of one policy.
func newSpeedRow(ctx context.Context, wall published.WallTimes, sizes []published.WorkloadSize, o Options) ([]string, error) {
	policies, err := policyset.ParsePolicies(wall.OurPolicy, true)
	if err != nil {
		return nil, err
	}
	cells := []string{wall.OurPolicy}
	for k, size := range sizes {
		o.reportProgressf("speed: %s, %d jobs", wall.OurPolicy, size.JobCount)
		scenarios, err := generateScenarios("shockwave", generate.WorkloadOptions{JobCount: size.JobCount}, 1, fmt.Sprint(size.ClusterGPUs))
		if err != nil {
			return nil, err
		}
		s, err := runFastest(ctx, scenarios[0], policies[0], 2)
		if err != nil {
			return nil, err
		}
		cell := formatDuration(s.WallSeconds)
		if theirs := wall.SecondsBySize[k]; theirs > 0 {
			cell += fmt.Sprintf(" (%s, %.0f ×)", formatDuration(theirs), theirs/s.WallSeconds)
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// writeGrowthWithJobs shows what more jobs cost.
func writeGrowthWithJobs(ctx context.Context, page *bytes.Buffer, o Options) error {
	sizes := []int{1_000, 10_000, 100_000}
	if o.IsQuick {
		sizes = []int{200, 2_000}
	}
	fmt.Fprint(page, "\n## Growth\n\nPhilly-like jobs (`--generate philly`) on 24 servers of 8 GPUs, decided upon at most once a\nminute. Memory is what the process has taken from the system by then; the rows were\nmeasured in this order.\n\n")
	writeHeader(page, "Policy", "Jobs", "Wall time", "A job", "Against the row above", "Memory")
	for _, name := range []string{"fifo", "tiresias"} {
		policies, err := policyset.ParsePolicies(name, true)
		if err != nil {
			return err
		}
		before := 0.0
		for _, n := range sizes {
			o.reportProgressf("growth: %s, %d jobs", name, n)
			scenarios, err := generateScenarios("philly", generate.WorkloadOptions{JobCount: n}, 1, "24x8")
			if err != nil {
				return err
			}
			s, err := runFastest(ctx, scenarios[0], policies[0], 0)
			if err != nil {
				return err
			}
			more := "–"
			if before > 0 {
				more = fmt.Sprintf("%.1f ×", s.WallSeconds/before)
			}
			before = s.WallSeconds
			writeRow(page, name, fmt.Sprint(n), formatDuration(s.WallSeconds), fmt.Sprintf("%.0f µs", 1e6*s.WallSeconds/float64(n)), more, describeMemory())
		}
	}
	return nil
}

func describeMemory() string {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprintf("%d MB", m.Sys>>20)
}
