package slurmrun

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/policy"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
	"fairbridge/replica/workload"
)

// startLoop makes the loop.
func (r *runner) startLoop() error {
	c := r.LoopConfig
	c.ClusterName, c.DaemonName, c.StopFile = r.world.ClusterName(), "sim", ""
	c.Partitions = []bridge.Partition{{
		Name: partitionName, Mode: cmp.Or(r.Mode, bridge.ModePreempt), Policy: r.PolicyName, DecidingPolicy: &r.timedPolicy,
	}}
	r.store = memstore.New(r.world.Now, r.Accounts, r.SlurmConfig.UsageHalfLife)
	r.store.SetBillingWeights(c.BillingWeights)
	r.store.SetInitialUse(workload.SplitAccountUse(r.Accounts, r.jobs), r.world.Now())
	var probes bridge.Probes = bridge.NoProbes{}
	if r.speedReports = r.newSpeedReports(); r.speedReports != nil {
		probes = r.speedReports
	}
	r.cluster = &polledCluster{
		DirectCluster: sim.DirectCluster{World: r.world}, interval: c.Interval, writeCount: &r.writeCount,
		listsAnew: r.RunsEveryCycle,
	}
	loop, err := cycle.New(c, cycle.Parts{
		Cluster: r.cluster, Journal: r.store, Leadership: r.store, History: r.newHistory(), Probes: probes,
		ExpirerStatus: bridge.SimulatedExpirer{}, IsSimulation: true, OmitsReasons: r.WatchCycle == nil,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: r.world.Now,
		Log: slog.New(slog.DiscardHandler),
	})
	r.loop = loop
	return err
}

// timedPolicy measures how long decisions take. It has no influence on them.
type timedPolicy struct {
	policy.Policy
	durations []float64
}

func (s *timedPolicy) Decide(snap *policy.Snapshot) (*policy.Plan, error) {
	from := time.Now()
	defer func() { s.durations = append(s.durations, time.Since(from).Seconds()) }()
	return s.Policy.Decide(snap)
}
