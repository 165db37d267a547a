package site

import (
	"fmt"
	"math/rand/v2"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/sim"
	"fairbridge/policy"
)

// Site is the site of a seed: what does not go wrong.
type Site struct {
	Seed    uint64
	Cycles  int
	Policy  string
	Mode    bridge.Mode
	Release string // of Slurm
	Lever   bridge.Lever
	Nodes   int
	GPUs    int  // of a node
	Lazy    bool // between full lists the state of jobs is all that is read
	Standby bool // a second daemon stands by
	Lease   time.Duration
	Gate    bridge.Budgets
}

// policies are those of the catalogue that differ most in what they ask for.
var policies = []string{"tiresias", "fifo", "astraea", "drf", "fairbridge", "srtf", "themis", "easy"}

// modes are drawn from: most runs may do everything.
var modes = []bridge.Mode{bridge.ModePreempt, bridge.ModePreempt, bridge.ModePreempt, bridge.ModePreempt, bridge.ModePreempt, bridge.ModeSteer, bridge.ModeRank, bridge.ModeObserve}

// releases are drawn from; 22.05 has no site factor.
var releases = []string{"26.05.5", "26.05.5", "26.05.5", "24.11.5", "24.11.5"}

// Draw returns the site of a seed, for so many cycles.
func Draw(seed uint64, cycles int) Site {
	r := rand.New(rand.NewPCG(seed, 2))
	s := Site{
		Seed: seed, Cycles: cycles, Policy: pick(r, policies), Mode: pick(r, modes), Release: pick(r, releases),
		Lever: pick(r, []bridge.Lever{bridge.LeverAuto, bridge.LeverAuto, bridge.LeverNice}),
		Nodes: 2 + r.IntN(4), GPUs: 4 << r.IntN(2), Lazy: r.IntN(3) > 0, Standby: r.IntN(3) == 0,
		Lease: time.Duration(3+r.IntN(8)) * time.Minute, Gate: budgets(r),
	}
	return s
}

// budgets are those of a small site in a hurry: so that they are reached.
func budgets(r *rand.Rand) bridge.Budgets {
	c := bridge.DefaultBudgets()
	c.Quantum, c.Cooldown = time.Duration(2+r.IntN(4))*time.Minute, time.Duration(5+r.IntN(20))*time.Minute
	c.JobStops4h, c.JobStops24h = 1+r.IntN(2), 2+r.IntN(2)
	c.UserStops1h, c.AccountStops1h = 2+r.IntN(4), 3+r.IntN(6)
	c.StopPercent, c.StopPercent1h, c.StopFloor1h = float64(10+r.IntN(90)), float64(50+r.IntN(200)), 1+r.IntN(3)
	c.LostPercent24h, c.RestartCost, c.GainFactor = float64(5+r.IntN(50)), time.Minute, float64(r.IntN(3))
	c.VanishFloor = 3
	c.LeaseMax, c.LeaseTotal = 15*time.Minute, time.Duration(20+r.IntN(60))*time.Minute
	c.MaxPending = time.Duration(40+r.IntN(80)) * time.Minute
	c.ChurnFloor, c.EditFloor = 3+r.IntN(10), 5+r.IntN(20)
	c.ExemptUsers = append(c.ExemptUsers, Exempt)
	c.ExemptAccounts = []string{Spared}
	return c
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// Interval is the time between cycles.
const Interval = 30 * time.Second

// Names at the site.
const (
	Cluster  = "lab"
	Managed  = "gpu"    // the partition that is ours
	Other    = "other"  // one that is not
	Exempt   = "vip"    // a user that is never touched
	Spared   = "spared" // an account that is never touched
	Operator = "root"   // the administrator
)

// Users are the owners of most jobs.
var Users = []string{"ann", "bob", "cid", "dee"}

// Processes are the names of ours, under which each writes to Slurm, so that
// Slurm's log tells which it was: two daemons, fairbridge expire and fairbridge
// release.
var Processes = []string{"daemon1", "daemon2", "timer", "release"}

// String prints the site in a line.
func (s Site) String() string {
	return fmt.Sprintf("seed %d: %s, mode %s, Slurm %s, order by %s, %d nodes of %d GPUs, lease %v, lazy %t, standby %t",
		s.Seed, s.Policy, s.Mode, s.Release, s.Lever, s.Nodes, s.GPUs, s.Lease, s.Lazy, s.Standby)
}

// World makes the cluster.
func (s Site) World(c sim.Config) (*sim.World, error) {
	c.ClusterName, c.Release, c.Seed = Cluster, s.Release, int64(s.Seed)
	c.Nodes = sim.UniformNodes(s.Nodes, "a100", s.GPUs)
	c.Partitions = []sim.Partition{{Name: Managed, MaxTime: 240 * time.Hour}, {Name: Other, MaxTime: 24 * time.Hour}}
	c.RequeueDelay, c.FullPassInterval, c.BackfillInterval = 20*time.Second, 30*time.Second, 30*time.Second
	c.PriorityWeights = sim.PriorityWeights{Age: 1_000, FairShare: 10_000, PointsByQOS: map[string]float64{"high": 5_000}}
	for _, name := range Processes {
		c.Users = append(c.Users, sim.User{Name: name, IsOperator: true})
	}
	w, err := sim.New(c)
	if err != nil {
		return nil, fmt.Errorf("making the cluster of %v: %w", s, err)
	}
	return w, nil
}

// Config is what a daemon is told: who it is, where its STOP file is, and the
// policy.
func (s Site) Config(holder, stopFile string, decide policy.Policy) bridge.Config {
	c := bridge.DefaultConfig()
	c.ClusterName, c.DaemonName, c.StopFile = Cluster, holder, stopFile
	c.Budgets, c.Lease.Length, c.Order.Lever = s.Gate, s.Lease, s.Lever
	c.Partitions = []bridge.Partition{{Name: Managed, Mode: s.Mode, Policy: s.Policy, DecidingPolicy: decide}}
	return c
}
