package sim_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/replica/sim"
	"fairbridge/replica/sim/arrivals"
)

// BenchmarkWorld runs workloads that keep 1,024 GPUs busy with a queue.
func BenchmarkWorld(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("jobs=%d", n), func(b *testing.B) {
			for b.Loop() {
				w, err := sim.New(sim.Config{Nodes: sim.UniformNodes(128, "a100", 8)})
				if err != nil {
					b.Fatal(err)
				}
				over := time.Duration(n) * 14 * time.Second
				if err := arrivals.ScheduleArrivals(w, arrivals.WorkloadConfig{Seed: 1, JobCount: n, ArrivalSpan: over, MaxNodes: 4}.DrawArrivals()); err != nil {
					b.Fatal(err)
				}
				if !w.RunUntilIdle(w.Now().Add(360 * 24 * time.Hour)) {
					b.Fatal("never ends")
				}
				b.ReportMetric(float64(w.Now().Sub(w.StartTime()).Hours()), "virtual-hours")
			}
		})
	}
}
