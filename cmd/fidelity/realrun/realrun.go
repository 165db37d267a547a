// Package realrun sends a stream of jobs through a real, throw-away Slurm, alone or with
// fairbridge's loop beside it, and reads from slurmdbd what became of the jobs.
package realrun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/cmd/internal/version"
	"fairbridge/lab/fidelity"
	"fairbridge/replica/sim/memstore"
	"fairbridge/scripts/throwaway"
)

// Make makes one run on a Slurm of its own; root is the root directory of a release, "" for
// this machine's Slurm.
func Make(ctx context.Context, s fidelity.Stream, arm fidelity.Arm, root string) (*fidelity.RealRun, error) {
	load := readLoad()
	c, err := throwaway.StartSlurm(ctx, "", throwaway.Options{
		NodeCount: s.NodeCount, GPUsPerNode: s.GPUsPerNode, ExtraConf: s.SlurmConf, Speed: s.Speed, SlurmRoot: root,
	})
	if err != nil {
		return nil, err
	}
	out, err := runStream(ctx, c, &s, arm)
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	out.Stream, out.Arm, out.Speed, out.Load = s.Name, arm, s.Speed, (load+readLoad())/2
	out.Commit = version.ReadInfo().Commit
	return out, c.Stop()
}

func runStream(ctx context.Context, c *throwaway.Cluster, s *fidelity.Stream, arm fidelity.Arm) (*fidelity.RealRun, error) {
	conf, err := c.Run(ctx, "root", "scontrol", "show", "config")
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	submitted := make(chan error, 1)
	runCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { submitted <- submitJobs(runCtx, c, s) }()
	if arm == fidelity.ArmAlone {
		err = <-submitted
	} else if err = runLoop(runCtx, c, s, arm, submitted); err != nil {
		cancel()
	}
	if err != nil {
		return nil, err
	}
	time.Sleep(c.RealDuration(20*time.Second) + time.Second) // slurmdbd hears of the last ends
	return readOutcome(ctx, c, s, conf)
}

// submitJobs submits the jobs at their times and returns when all have ended.
func submitJobs(ctx context.Context, c *throwaway.Cluster, s *fidelity.Stream) error {
	cmd := c.Command(ctx, "root", "bash", "-s")
	cmd.Stdin = strings.NewReader(newSubmitScript(s))
	said, err := cmd.CombinedOutput()
	if err != nil || len(said) > 0 {
		return fmt.Errorf("submitting the jobs: %w: %s", err, said)
	}
	return nil
}

// readLoad is the load of the machine in the last minute.
func readLoad() float64 {
	text, _ := os.ReadFile("/proc/loadavg") // zero where there is none
	first, _, _ := strings.Cut(string(text), " ")
	v, _ := strconv.ParseFloat(first, 64)
	return v
}

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
