package slurmrun

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"fairbridge/lab/generate"
	clusterspec "fairbridge/replica/cluster"
)

// BenchmarkRun is our own policy through loop and Slurm on two drawn workloads: a busy day of
// 472 jobs on 4 nodes of 8 GPUs, and 1,000 jobs like Philly's on 8. Processor time is what
// counts on a machine that others use too. Memory is traded for time as the commands do.
func BenchmarkRun(b *testing.B) {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	for _, w := range []struct {
		name, kind, nodes string
		options           generate.WorkloadOptions
	}{
		{"day-11", "day", "4x8", generate.WorkloadOptions{ClusterGPUs: 32, OfferedLoad: 1.5}},
		{"philly-11", "philly", "8x8", generate.WorkloadOptions{ClusterGPUs: 64, OfferedLoad: 1.5, JobCount: 1000}},
	} {
		b.Run(w.name, func(b *testing.B) {
			made, err := generate.DrawWorkload(w.kind, w.options, 11)
			if err != nil {
				b.Fatal(err)
			}
			nodes, err := clusterspec.ParseSpec(w.nodes)
			if err != nil {
				b.Fatal(err)
			}
			c := Config{PolicyName: "fairbridge", Nodes: nodes, Jobs: made.Jobs, Accounts: made.Accounts, Seed: 11, RestartCost: 30 * time.Second}
			from := userSeconds()
			for b.Loop() {
				c.Policy = decider(b, "fairbridge")
				benchmarkRun(b, c)
			}
			b.ReportMetric((userSeconds()-from)/float64(b.N), "cpu-s/op")
		})
	}
}

func benchmarkRun(b *testing.B, c Config) {
	r, err := newRunner(c)
	if err != nil {
		b.Fatal(err)
	}
	if err := r.runToEnd(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(c.Jobs)), "jobs")
	b.ReportMetric(r.world.Now().Sub(r.workloadStart).Hours()/24, "days")
	b.ReportMetric(float64(r.cycleSkipper.cycleCount), "cycles")
	b.ReportMetric(float64(r.cycleSkipper.skippedCount), "cycles-left-out")
}

// userSeconds is how many seconds of processor time this process has used.
func userSeconds() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano()).Seconds()
}
