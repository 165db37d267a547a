package reproduce

import (
	"fmt"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy/paper"
)

// BenchmarkShockwave is a whole simulation. The published one took two minutes
// with 120 jobs, six with 220, and up to 15 s for each plan with 900.
func BenchmarkShockwave(b *testing.B) {
	for _, c := range []struct {
		jobs, gpus int
		params     paper.Params
	}{{120, 32, nil}, {220, 64, paper.Params{"k": 10, "lambda": 5}}, {460, 128, paper.Params{"lambda": 15}}, {900, 256, paper.Params{"k": 1e5, "lambda": 5}}} {
		b.Run(fmt.Sprint(c.jobs), func(b *testing.B) {
			jobs := generate.ShockwaveDrawer{JobCount: c.jobs, ClusterGPUs: c.gpus}.DrawJobs(1)
			for b.Loop() {
				simulate(b, exact.Config{Policy: system(b, "shockwave", c.params), Nodes: cluster(c.gpus, 1, "v100"), Jobs: jobs, SpeedTables: generate.NewSpeedTables(),
					Clock: exact.ShockwaveClock(), ReportsPlannedRegimes: true})
			}
		})
	}
}
