package golden

import (
	"fmt"
	"testing"

	"fairbridge/lab/exact"
)

// BenchmarkProportional is the whole simulation, without reading the files.
// The published simulator took 9.5 s for 220 jobs.
func BenchmarkProportional(b *testing.B) {
	for _, s := range []setting{small, medium} {
		b.Run(fmt.Sprint(s.jobs), func(b *testing.B) {
			jobs, tables := s.workload(b)
			p := lookup(b, "proportional", nil)
			for b.Loop() {
				_, err := exact.Run(exact.Config{Policy: p, Nodes: nodes(s.gpus, "v100"), Jobs: jobs, SpeedTables: tables, Clock: exact.ShockwaveClock(), OmitsReasons: true})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
