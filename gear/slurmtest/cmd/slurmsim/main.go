// Command slurmsim is a whole Slurm for demonstrations: a simulated cluster
// under a made-up load behind slurmrestd's interface, faster than real time.
//
//	slurmsim -listen 127.0.0.1:6820 -release 26.05.5 -nodes 4 -gpus 8 -jobs 200 -speed 60
//
// It prints its address on standard output and ends on an interrupt.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"fairbridge/gear/slurmtest"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/arrivals"
)

type options struct {
	listenAddress, release, gpuType  string
	nodeCount, gpusPerNode, jobCount int
	speedFactor, preemptibleShare    float64
	arrivalSpan                      time.Duration
	seed                             int64
}

func main() {
	var o options
	flag.StringVar(&o.listenAddress, "listen", "127.0.0.1:6820", "address, or unix:/path")
	flag.StringVar(&o.release, "release", "26.05.5", "Slurm release to play")
	flag.StringVar(&o.gpuType, "gpu", "a100", "GPU type")
	flag.IntVar(&o.nodeCount, "nodes", 4, "nodes")
	flag.IntVar(&o.gpusPerNode, "gpus", 8, "GPUs a node")
	flag.IntVar(&o.jobCount, "jobs", 200, "jobs that arrive")
	flag.DurationVar(&o.arrivalSpan, "over", 12*time.Hour, "simulated time in which they arrive")
	flag.Float64Var(&o.speedFactor, "speed", 60, "simulated seconds a second")
	flag.Float64Var(&o.preemptibleShare, "opted", 0.5, "share of jobs that may be preempted")
	flag.Int64Var(&o.seed, "seed", 1, "seed of the load")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "slurmsim:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	w, err := sim.New(sim.Config{
		Seed: o.seed, Release: o.release, Start: time.Now().Truncate(time.Second),
		Nodes: sim.UniformNodes(o.nodeCount, o.gpuType, o.gpusPerNode), Accounts: accounts, Users: users,
	})
	if err != nil {
		return err
	}
	load := arrivals.WorkloadConfig{
		Seed: o.seed, JobCount: o.jobCount, ArrivalSpan: o.arrivalSpan, Users: users, GPUsPerNode: o.gpusPerNode, MaxNodes: min(o.nodeCount, 2), PreemptibleShare: o.preemptibleShare,
	}
	if err := arrivals.ScheduleArrivals(w, load.DrawArrivals()); err != nil {
		return err
	}
	s, err := slurmtest.Start(slurmtest.Config{World: w, ListenAddress: o.listenAddress, Speed: o.speedFactor})
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	return s.ServeUntilDone(ctx)
}

var (
	accounts = []sim.Account{{Name: "research", Shares: 2}, {Name: "teaching", Shares: 1}}
	users    = []sim.User{
		{Name: "alice", DefaultAccount: "research"}, {Name: "bob", DefaultAccount: "research"}, {Name: "carol", DefaultAccount: "teaching"},
	}
)
