// Package slurmrun runs a workload through everything that stands between a
// policy and a cluster: the control loop, its gate and budgets, the edits that
// carry a plan, and Slurm with its own scheduler, requeue delay and backfill
// (sim.World). Package exact runs the same workload without any of that; the
// difference is the price of going through Slurm. Time is virtual: the same
// Config gives the same run.
package slurmrun

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/forecast"
	"fairbridge/replica/measure"
	"fairbridge/replica/sim"
	"fairbridge/replica/workload"
)

// Config is one simulation.
type Config struct {
	// Policy decides; nil: Slurm schedules alone, with its own multifactor
	// priorities and backfill.
	Policy      policy.Policy
	PolicyName  string        // of the policy, for the record
	Nodes       []policy.Node // sorted by name; all in one partition "gpu"
	Jobs        []workload.Job
	SpeedTables *workload.SpeedTables // speeds of jobs with Training; nil: none
	Accounts    []policy.Account      // what they used before, Slurm and the loop know; see workload.SplitAccountUse
	Seed        int64

	// Mode is how much of a plan may reach Slurm; "": preempt.
	Mode bridge.Mode
	// LoopConfig is the loop's configuration: interval, lease, levers, the gate's
	// budgets. Without an Interval it is bridge.DefaultConfig, but for
	// BillingWeights. Its name, holder, partitions and STOP file are not used.
	LoopConfig bridge.Config
	// SlurmConfig is Slurm's configuration: requeue delay, backfill, weights, release.
	// Zero values are Slurm's defaults; nodes, partitions, accounts and seed are
	// not used.
	SlurmConfig sim.Config
	// RestartCost is the run time without progress that each start after the first
	// costs a job whose CheckpointCost is 0.
	RestartCost time.Duration

	// RunTimes predicts run times for the policy; nil: nothing is predicted. It is told of
	// the jobs that end, and asked by the calendar of the simulated Slurm.
	RunTimes forecast.RunTimePredictor
	// PredictsTruth predicts true run times instead, as only an oracle could.
	PredictsTruth bool

	// RunsEveryCycle runs every cycle, also those that can change nothing, and keeps of the
	// ledger what a daemon keeps. The outcome is the same; it takes longer.
	RunsEveryCycle bool
	// DecidesUntil is when the loop stops, in time since the workload began; Slurm alone goes on. 0:
	// at the end. For those who look at what happened until then, and need not wait for the rest.
	DecidesUntil time.Duration
	// ReportProgress is told from time to time how many jobs are done; nil: none is told.
	ReportProgress func(done, of int)
	// WatchCycle sees every cycle; nil: not watched, and policies give no reasons.
	WatchCycle func(*cycle.Report)
	// AfterCycle sees the world after every cycle, and may disturb it; nil: not looked at.
	AfterCycle func(*sim.World)
}

// partitionName is the one all nodes are in.
const partitionName = "gpu"

// Run simulates until all jobs have ended. Errors name the job or the cycle
// that went wrong.
func Run(c Config) (*measure.Run, error) {
	began := time.Now()
	r, err := newRunner(c)
	if err != nil {
		return nil, err
	}
	if err := r.runToEnd(); err != nil {
		return nil, err
	}
	out := r.newResult()
	out.WallSeconds = time.Since(began).Seconds()
	return out, nil
}

// newWorld makes the cluster.
func (c *Config) newWorld() (*sim.World, error) {
	s := c.SlurmConfig
	s.Seed = c.Seed
	s.Nodes = newSimNodes(c.Nodes, c.Jobs)
	s.Partitions = []sim.Partition{{Name: partitionName, MaxTime: c.partitionTimeLimit()}}
	s.ClusterName, s.Start = cmp.Or(s.ClusterName, "sim"), c.workloadStart()
	s.MinJobAge = max(s.MinJobAge, 5*time.Minute, 3*c.LoopConfig.Interval)
	s.Accounts = nil
	s.Users = nil
	for _, u := range workload.SplitAccountUse(c.Accounts, c.Jobs) {
		s.Users = append(s.Users, sim.User{Name: u.Name, DefaultAccount: u.Account, UsedGPUSeconds: float64(cmp.Or(u.HeldService, u.UsedService))}) // Slurm does not know what we charge
	}
	for _, a := range c.Accounts {
		s.Accounts = append(s.Accounts, sim.Account{Name: a.Name, Shares: a.Weight})
	}
	w, err := sim.New(s)
	if err != nil {
		return nil, fmt.Errorf("making the cluster: %w", err)
	}
	for i := range c.Nodes {
		if n := &c.Nodes[i]; n.DownReason != "" {
			if err := w.DrainNode(n.Name, n.DownReason); err != nil {
				return nil, err
			}
		}
	}
	return w, c.addReservations(w)
}

// addReservations sets nodes aside as their windows say, whose calendar begins with the
// workload.
func (c *Config) addReservations(w *sim.World) error {
	shift := c.workloadStart().Sub(workload.CalendarTimeAt(0))
	for i := range c.Nodes {
		for k, x := range c.Nodes[i].Windows {
			r := sim.Reservation{Name: fmt.Sprintf("%s-%s-%d", x.Name, c.Nodes[i].Name, k), Nodes: []string{c.Nodes[i].Name}, From: x.From.Add(shift)}
			if !x.To.IsZero() {
				r.To = x.To.Add(shift)
			}
			if x.IsMaintenance {
				r.Flags = []string{"MAINT"}
			}
			if err := w.AddReservation(r); err != nil {
				return fmt.Errorf("setting %s aside: %w", c.Nodes[i].Name, err)
			}
		}
	}
	return nil
}

// WorkloadStart is when a workload begins on a Slurm so configured: at its Start, or else always
// at the same time.
func WorkloadStart(c *sim.Config) time.Time {
	if !c.Start.IsZero() {
		return c.Start
	}
	return time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
}

// workloadStart is when the workload begins.
func (c *Config) workloadStart() time.Time { return WorkloadStart(&c.SlurmConfig) }

// partitionTimeLimit is the partition's time limit, that of jobs that give none: a week,
// or four times the longest job.
func (c *Config) partitionTimeLimit() time.Duration {
	d := 7 * 24 * time.Hour
	for i := range c.Jobs {
		j := &c.Jobs[i]
		d = max(d, j.TimeLimit, 4*policy.DurationFromSeconds(math.Ceil(longestRunSeconds(c.Nodes, j))))
	}
	return d
}

// newSimNodes describes the nodes to Slurm.
func newSimNodes(list []policy.Node, jobs []workload.Job) []sim.Node {
	out := make([]sim.Node, len(list))
	for i := range list {
		n := &list[i]
		gpus := 0
		out[i] = sim.Node{Name: n.Name, CPUs: n.CPUs, MemMB: n.MemMB, Features: n.Features, LeafSwitch: n.LeafSwitch}
		for _, d := range n.GPUs {
			out[i].GPUs = append(out[i].GPUs, sim.GPUs{Type: d.Type, Count: d.Count - d.SickCount})
			gpus += d.Count
		}
		cores, memMB := assumedCapacity(gpus, jobs)
		out[i].CPUs, out[i].MemMB = cmp.Or(n.CPUs, cores), cmp.Or(n.MemMB, memMB)
	}
	return out
}

// newSpeedFunction says how fast the job goes on what it got: as its true scaling has it, else in
// proportion to the GPUs.
func (o *submitter) newSpeedFunction(j *workload.Job) func(string, int, int) float64 {
	return func(typ string, n, nodes int) float64 {
		v := sizeSpeed(o.nodes, j, typ, n, nodes)
		if j.Speeds != nil {
			v *= j.Speeds[typ]
		}
		return v
	}
}

// sizeSpeed is the speed on a size relative to that on what the job asks, of one type.
func sizeSpeed(all []policy.Node, j *workload.Job, typ string, n, nodes int) float64 {
	if j.Scaling == nil {
		return float64(n) / float64(j.GPUs)
	}
	size := scaling.Size{Type: typ, Devices: n}
	if nodes > fewestNodes(all, typ, n) {
		size.Nodes = nodes
	}
	asked := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: typ, Count: j.GPUs}}, Scaling: j.Scaling}
	return scaling.New(&asked).Speed(size)
}

// fewestNodes is how few nodes of a type hold so many devices.
func fewestNodes(all []policy.Node, typ string, devices int) int {
	most := 1
	for i := range all {
		for _, d := range all[i].GPUs {
			if d.Type == typ {
				most = max(most, d.Count)
			}
		}
	}
	return (devices + most - 1) / most
}

// longestRunSeconds is the longest the job runs, in seconds, if it is never stopped: on the slowest
// type, with the fewest GPUs it may be given, spread over more nodes than they need.
func longestRunSeconds(all []policy.Node, j *workload.Job) float64 {
	least := 1.0
	for _, v := range j.Speeds {
		if v > 0 {
			least = math.Min(least, v)
		}
	}
	if j.Scaling != nil {
		least *= slowestSize(all, j)
	}
	return j.Duration / least
}

// slowestSize is the speed on the slowest size the job may be given, relative to that on what it
// asks; 1 at most.
func slowestSize(all []policy.Node, j *workload.Job) float64 {
	fewest, slowest := j.GPUs, 1.0
	if j.MinGPUs > 0 && j.MaxGPUs > 0 {
		fewest = min(j.MinGPUs, j.GPUs)
	}
	for i := range all {
		for _, d := range all[i].GPUs {
			for _, n := range []int{fewest, j.GPUs} {
				if v := sizeSpeed(all, j, d.Type, n, fewestNodes(all, d.Type, n)+1); v > 0 {
					slowest = math.Min(slowest, v)
				}
			}
		}
	}
	return slowest
}
