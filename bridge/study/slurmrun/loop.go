package slurmrun

import (
	"cmp"
	"io"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/sim/memstore"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// join makes the loop.
func (r *runner) join() error {
	c := r.Loop
	c.Name, c.Holder, c.StopFile = r.w.Cluster(), "sim", ""
	c.Partitions = []bridge.Partition{{
		Name: partition, Mode: cmp.Or(r.Mode, bridge.Preempt), Policy: r.Name, Decide: &r.clock,
	}}
	r.past = memstore.New(r.w.Now, r.Accounts, r.Slurm.HalfLife)
	r.past.Begin(workload.Used(r.Accounts, r.jobs), r.w.Now())
	loop, err := cycle.New(c, cycle.Parts{
		Cluster: sim.Direct{World: r.w}, Journal: r.past, Leadership: r.past, History: r.past, Probes: bridge.NoProbes{}, Expiry: bridge.NothingDies{}, Bare: true,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: r.w.Now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	r.loop = loop
	return err
}

// stopwatch measures how long decisions take. It has no influence on them.
type stopwatch struct {
	policy.Policy
	took []float64
}

func (s *stopwatch) Decide(snap *policy.Snapshot) (*policy.Plan, error) {
	from := time.Now()
	defer func() { s.took = append(s.took, time.Since(from).Seconds()) }()
	return s.Policy.Decide(snap)
}
