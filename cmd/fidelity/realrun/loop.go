package realrun

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/sim/memstore"
	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/bridge/study/fidelity"
	"fairbridge/scripts/throwaway"
)

// runLoop runs fairbridge's loop, in the time inside, until all jobs have ended.
func runLoop(ctx context.Context, c *throwaway.Cluster, s *fidelity.Stream, arm fidelity.Arm, ended <-chan error) error {
	loop, err := newLoop(ctx, c, s, arm)
	if err != nil {
		return err
	}
	next, doubts := c.Now(), map[string]int{}
	defer func() {
		if len(doubts) > 0 {
			fmt.Fprintln(os.Stderr, "fidelity: cycles in doubt:", doubts)
		}
	}()
	for {
		for _, d := range loop.Step(ctx).Doubts {
			doubts[string(d.Cause)]++
		}
		for next = next.Add(loop.Interval); next.Before(c.Now()); next = next.Add(loop.Interval) {
		}
		select {
		case err := <-ended:
			return err
		case <-time.After(c.RealDuration(next.Sub(c.Now()))):
		}
	}
}

// newLoop joins the loop to the cluster; what it remembers stays in memory.
func newLoop(ctx context.Context, c *throwaway.Cluster, s *fidelity.Stream, arm fidelity.Arm) (*cycle.Loop, error) {
	config := s.LoopConfig
	config.ClusterName, config.DaemonName, config.StopFile = "lab", "fidelity", ""
	decide, err := fidelity.NewPolicy()
	if err != nil {
		return nil, err
	}
	config.Partitions = []bridge.Partition{{Name: fidelity.PartitionName, Mode: arm.Mode(), Policy: fidelity.PolicyName, DecidingPolicy: decide}}
	client, err := rest.Open(ctx, rest.Config{URL: c.URL, TokenFile: c.TokenFile, User: c.TokenUser}, rest.PollConfig{Now: c.Now})
	if err != nil {
		return nil, fmt.Errorf("connecting to slurmrestd: %w", err)
	}
	var loop *cycle.Loop
	mayWrite := func(ctx context.Context) error { return loop.CheckMayPush(ctx) }
	cluster := live.New(client, writer.New(client, writer.Config{
		CheckMayWrite: mayWrite, Scontrol: c.Command(ctx, "fairbridge", "scontrol").Args, Rate: 200, LeaseMax: config.Budgets.LeaseMax, Now: c.Now,
	}))
	cluster.Scontrol = c.Command(ctx, "fairbridge", "scontrol").Args
	cluster.ReadsLimits = arm.Mode().Allows(bridge.ModePreempt)
	store := memstore.New(c.Now, fidelity.Accounts(), 7*24*time.Hour)
	loop, err = cycle.New(config, cycle.Parts{
		Cluster: cluster, Journal: store, Leadership: store, History: store, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{},
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: c.Now, Log: slog.New(slog.DiscardHandler),
	})
	return loop, err
}
