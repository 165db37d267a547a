package exact_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// nodes is a cluster of so many nodes of so many GPUs.
func nodes(n, each int, typ string) []policy.Node {
	all := make([]policy.Node, n)
	for i := range all {
		all[i] = policy.Node{Name: fmt.Sprintf("n%04d", i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: typ, Count: each}}}
	}
	return all
}

func fromCatalogue(t testing.TB, name string) policy.Policy {
	t.Helper()
	e, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.New(e.SimulatorParams)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cpu is how many seconds of processor time this process has used: what counts
// on a machine that others use too.
func cpu() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}

// BenchmarkShockwave are workloads like Shockwave's under proportional sharing.
// Its own simulator took 9.5, 21.8 and 31.8 s for the last three.
func BenchmarkShockwave(b *testing.B) {
	for _, size := range []struct{ jobs, gpus int }{{120, 32}, {220, 64}, {460, 128}, {900, 256}} {
		b.Run(fmt.Sprintf("%dx%d", size.jobs, size.gpus), func(b *testing.B) {
			jobs := generate.ShockwaveDrawer{JobCount: size.jobs, ClusterGPUs: size.gpus}.DrawJobs(1)
			p := fromCatalogue(b, "proportional")
			decisions, started := 0, cpu()
			for b.Loop() {
				run, err := exact.Run(exact.Config{Policy: p, Nodes: nodes(size.gpus, 1, "v100"), Jobs: jobs, SpeedTables: generate.NewSpeedTables(), Clock: exact.ShockwaveClock(), OmitsReasons: true})
				if err != nil {
					b.Fatal(err)
				}
				decisions = len(run.DecideSeconds)
			}
			b.ReportMetric(float64(decisions), "decisions")
			b.ReportMetric((cpu()-started)/float64(b.N)*1000, "cpu-ms/op")
		})
	}
}

// BenchmarkPhilly is a year of jobs like Microsoft's under Tiresias, and how its
// cost grows with the number of jobs.
func BenchmarkPhilly(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			jobs := generate.PhillyDrawer{JobCount: n, ClusterGPUs: 192}.DrawJobs(1)
			p := fromCatalogue(b, "tiresias")
			started := cpu()
			for b.Loop() {
				run, err := exact.Run(exact.Config{Policy: p, Nodes: nodes(24, 8, "v100"), Jobs: jobs,
					Clock: exact.NewEventClock(time.Minute, 0, 30*time.Second), OmitsReasons: true})
				if err != nil {
					b.Fatal(err)
				}
				s := run.Summarize()
				b.ReportMetric(run.MakespanSeconds/86400, "days")
				b.ReportMetric(float64(len(run.DecideSeconds)), "decisions")
				b.ReportMetric(100*s.Utilization, "%util")
				b.ReportMetric(s.AvgQueueSeconds/3600, "queue-h")
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/(1<<20), "MB")
			b.ReportMetric((cpu()-started)/float64(b.N), "cpu-s/op")
		})
	}
}
