// Package site is where a trial of package chaos plays: a small cluster, its
// people and our daemons' configuration, drawn by a seed. Nothing here goes wrong.
package site

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// Site is the site of a seed: what does not go wrong.
type Site struct {
	Seed         uint64
	CycleCount   int
	PolicyName   string
	Mode         bridge.Mode
	SlurmRelease string // of Slurm
	OrderLever   bridge.Lever
	NodeCount    int
	GPUsPerNode  int  // of a node
	PollsLazily  bool // between full lists the state of jobs is all that is read
	HasStandby   bool // a second daemon stands by
	LeaseLength  time.Duration
	Budgets      bridge.Budgets
	TellsJobs    bool // jobs are told in their admin_comment why they wait
	IsElastic    bool // owners declare ranges, and the policy sets sizes in mode elastic
	HasTwoTypes  bool // every other node has GPUs of SecondType, which owners accept, and the policy chooses types
	SharesGPUs   bool // owners accept neighbours, nodes give GPUs out in shards, and the policy packs in mode share
	ShardsPerGPU int  // of the nodes that give them out: all but every third

	SpreadsShards      bool          // Slurm takes shards of the GPU with most left
	SharesBetweenUsers bool          // neighbours may be jobs of other users
	HasService         bool          // many jobs are replicas of one service
	StopIdleAfter      time.Duration // so long GPUs did no work before a job is stopped for that; 0: none is
	HasTwoManaged      bool          // SecondPartition is managed too, and some jobs are submitted to both
	SharesEagerly      bool          // the policy starts jobs beside others wherever owners accept it
}

// policyNames are those of the catalogue that differ most in what they ask for.
var policyNames = []string{"tiresias", "fifo", "astraea", "drf", "fairbridge", "srtf", "themis", "easy"}

// packingPolicies start jobs beside others.
var packingPolicies = []string{"salus", "salus", "lucid", "muri", "gandiva", "gavel"}

// modesToDraw are drawn from: most runs may do everything.
var modesToDraw = []bridge.Mode{bridge.ModePreempt, bridge.ModePreempt, bridge.ModePreempt, bridge.ModePreempt, bridge.ModePreempt, bridge.ModeSteer, bridge.ModeRank, bridge.ModeObserve}

// releasesToDraw are drawn from; 22.05 has no site factor.
var releasesToDraw = []string{"26.05.5", "26.05.5", "26.05.5", "24.11.5", "24.11.5"}

// DrawSite returns the site of a seed, for so many cycles.
func DrawSite(seed uint64, cycles int) Site {
	r := rand.New(rand.NewPCG(seed, 2))
	s := Site{
		Seed: seed, CycleCount: cycles, PolicyName: pickRandom(r, policyNames), Mode: pickRandom(r, modesToDraw), SlurmRelease: pickRandom(r, releasesToDraw),
		OrderLever: pickRandom(r, []bridge.Lever{bridge.LeverAuto, bridge.LeverAuto, bridge.LeverNice}),
		NodeCount:  2 + r.IntN(4), GPUsPerNode: 4 << r.IntN(2), PollsLazily: r.IntN(3) > 0, HasStandby: r.IntN(3) == 0,
		LeaseLength: time.Duration(3+r.IntN(8)) * time.Minute, Budgets: drawBudgets(r),
	}
	s.TellsJobs = rand.New(rand.NewPCG(seed, 5)).IntN(3) == 0 // by chance of its own: all else of a seed stays as it was
	if s.Mode == bridge.ModePreempt && rand.New(rand.NewPCG(seed, 7)).IntN(4) == 0 {
		s.Mode, s.PolicyName, s.IsElastic = bridge.ModeElastic, "ref", true
		if rand.New(rand.NewPCG(seed, 11)).IntN(2) == 0 {
			s.PolicyName, s.HasTwoTypes = "sia", true
		}
	}
	if r := rand.New(rand.NewPCG(seed, 13)); s.Mode == bridge.ModePreempt && r.IntN(3) == 0 {
		s.Mode, s.PolicyName, s.SharesGPUs = bridge.ModeShare, pickRandom(r, packingPolicies), true
		s.NodeCount, s.GPUsPerNode = 3+r.IntN(4), 1+r.IntN(2) // so few that jobs have to share
		s.ShardsPerGPU, s.SpreadsShards, s.SharesBetweenUsers = pickRandom(r, []int{2, 3, 4, 8}), r.IntN(4) == 0, r.IntN(2) == 0
		s.SharesEagerly = r.IntN(3) > 0
	}
	if r := rand.New(rand.NewPCG(seed, 19)); s.Mode == bridge.ModePreempt && r.IntN(3) > 0 {
		s.PolicyName, s.StopIdleAfter = pickRandom(r, idlePolicies), time.Duration(3+r.IntN(8))*time.Minute
	}
	s.HasTwoManaged = rand.New(rand.NewPCG(seed, 23)).IntN(4) == 0
	s.HasService = rand.New(rand.NewPCG(seed, 17)).IntN(3) == 0
	return s
}

// drawBudgets are those of a small site in a hurry: so that they are reached.
func drawBudgets(r *rand.Rand) bridge.Budgets {
	c := bridge.DefaultBudgets()
	c.Quantum, c.Cooldown = time.Duration(2+r.IntN(4))*time.Minute, time.Duration(5+r.IntN(20))*time.Minute
	c.JobStops4h, c.JobStops24h = 1+r.IntN(2), 2+r.IntN(2)
	c.UserStops1h, c.AccountStops1h = 2+r.IntN(4), 3+r.IntN(6)
	c.StopPercent, c.StopPercent1h, c.StopFloor1h = float64(10+r.IntN(90)), float64(50+r.IntN(200)), 1+r.IntN(3)
	c.LostPercent24h, c.RestartCost, c.GainFactor = float64(5+r.IntN(50)), time.Minute, float64(r.IntN(3))
	c.VanishFloor, c.IdleMin = 3, 2*time.Minute
	c.LeaseMax, c.LeaseTotal = 15*time.Minute, time.Duration(20+r.IntN(60))*time.Minute
	c.MaxPending = time.Duration(40+r.IntN(80)) * time.Minute
	c.ChurnFloor, c.EditFloor = 3+r.IntN(10), 5+r.IntN(20)
	c.ExemptUsers = append(c.ExemptUsers, ExemptUser)
	c.ExemptAccounts = []string{ExemptAccount}
	c.SmallClusterGPUs, c.SmallStopPercent, c.LostPercent1h = float64(800*r.IntN(2)), float64(25+r.IntN(25)), float64(10+r.IntN(50))
	return c
}

func pickRandom[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// CycleInterval is the time between cycles.
const CycleInterval = 30 * time.Second

// Names at the site.
const (
	ClusterName        = "lab"
	ManagedPartition   = "gpu"    // the partition that is ours
	SecondPartition    = "gpu2"   // another of ours, on the same nodes, at some sites
	UnmanagedPartition = "other"  // one that is not
	ExemptUser         = "vip"    // a user that is never touched
	ExemptAccount      = "spared" // an account that is never touched
	OperatorUser       = "root"   // the administrator
	FirstType          = "a100"   // the type of all GPUs, or of those of every other node
	SecondType         = "h100"
)

// The service that some sites have: of one user and account, so many replicas at least.
const (
	ServiceName    = "chat"
	ServiceUser    = "ann"
	ServiceAccount = "a0"
	LeastReplicas  = 3
)

// GPUMemMB is the memory of each GPU, which node probes tell.
const GPUMemMB = 40_000

// UserNames are the owners of most jobs.
var UserNames = []string{"ann", "bob", "cid", "dee"}

// ProcessNames are the names of ours, under which each writes to Slurm, so that
// Slurm's log tells which it was: two daemons, fairbridge expire and fairbridge
// release.
var ProcessNames = []string{"daemon1", "daemon2", "timer", "release"}

// IsManaged reports whether a job that is submitted to the partitions is one of ours: all of them are.
func (s Site) IsManaged(partitions []string) bool {
	return !slices.ContainsFunc(partitions, func(name string) bool {
		return name != ManagedPartition && (name != SecondPartition || !s.HasTwoManaged)
	})
}

// String prints the site in a line.
func (s Site) String() string {
	return fmt.Sprintf("seed %d: %s, mode %s, Slurm %s, order by %s, %d nodes of %d GPUs, lease %v, lazy %t, standby %t, tells %t, two partitions %t",
		s.Seed, s.PolicyName, s.Mode, s.SlurmRelease, s.OrderLever, s.NodeCount, s.GPUsPerNode, s.LeaseLength, s.PollsLazily, s.HasStandby, s.TellsJobs, s.HasTwoManaged)
}

// NewWorld makes the cluster.
func (s Site) NewWorld(c sim.Config) (*sim.World, error) {
	c.ClusterName, c.Release, c.Seed = ClusterName, s.SlurmRelease, int64(s.Seed)
	c.Nodes = sim.UniformNodes(s.NodeCount, FirstType, s.GPUsPerNode)
	for i := 1; s.HasTwoTypes && i < len(c.Nodes); i += 2 {
		c.Nodes[i].GPUs[0].Type = SecondType
	}
	for i := range c.Nodes {
		if s.SharesGPUs && i%3 != 2 {
			c.Nodes[i].ShardsPerGPU, c.Nodes[i].SpreadsShards = s.ShardsPerGPU, s.SpreadsShards
		}
	}
	c.Partitions = []sim.Partition{{Name: ManagedPartition, MaxTime: 240 * time.Hour}, {Name: UnmanagedPartition, MaxTime: 24 * time.Hour}}
	if s.HasTwoManaged {
		c.Partitions = append(c.Partitions, sim.Partition{Name: SecondPartition, MaxTime: 240 * time.Hour})
	}
	c.RequeueDelay, c.FullPassInterval, c.BackfillInterval = 20*time.Second, 30*time.Second, 30*time.Second
	if s.SharesGPUs { // a slurmctld that takes its time: else jobs start on whole GPUs before anybody has looked
		c.MinPassInterval, c.MinEventInterval, c.FullPassInterval, c.BackfillInterval = 20*time.Second, time.Minute, 50*time.Second, 50*time.Second
	}
	c.PriorityWeights = sim.PriorityWeights{Age: 1_000, FairShare: 10_000, PointsByQOS: map[string]float64{"high": 5_000}}
	for _, name := range ProcessNames {
		c.Users = append(c.Users, sim.User{Name: name, IsOperator: true, WritesComments: true})
	}
	w, err := sim.New(c)
	if err != nil {
		return nil, fmt.Errorf("making the cluster of %v: %w", s, err)
	}
	return w, nil
}

// NewDaemonConfig is what a daemon is told: who it is, where its STOP file is, and the
// policy, one for each partition.
func (s Site) NewDaemonConfig(holder, stopFile string, decide, decideSecond policy.Policy) bridge.Config {
	c := bridge.DefaultConfig()
	c.ClusterName, c.DaemonName, c.StopFile = ClusterName, holder, stopFile
	c.Budgets, c.Lease.Length, c.Order.Lever = s.Budgets, s.LeaseLength, s.OrderLever
	c.Order.AdminComment, c.Order.AdminCommentEvery = s.TellsJobs, 2*time.Minute
	c.Partitions = []bridge.Partition{{Name: ManagedPartition, Mode: s.Mode, Policy: s.PolicyName, SharesBetweenUsers: s.SharesBetweenUsers, StopIdleAfter: s.StopIdleAfter, DecidingPolicy: decide}}
	if s.HasService {
		c.Partitions[0].Services = []bridge.Service{{Account: ServiceAccount, Name: ServiceName, Terms: policy.ReplicaScaling{Least: LeastReplicas, ServiceTime: time.Second}}}
	}
	if s.HasTwoManaged {
		second := c.Partitions[0]
		second.Name, second.Services, second.DecidingPolicy = SecondPartition, nil, decideSecond
		c.Partitions = append(c.Partitions, second)
	}
	return c
}

// Names of jobs that Slurm shows as what a sim.World knows nothing of.
const (
	HetJobName         = "het"
	CronJobName        = "cron"
	ReservedJobName    = "reserved"
	InteractiveJobName = "interactive"
)

// ShownJob returns a record as the site's release of Slurm shows it.
func (s Site) ShownJob(j slurm.Job) slurm.Job {
	switch j.Name {
	case HetJobName:
		j.HetJobID = j.ID
	case CronJobName:
		j.Cron = "0 * * * *"
	case ReservedJobName:
		j.Reservation = "maintenance"
	case InteractiveJobName:
		j.IsBatch = false
	}
	if s.SlurmRelease < "25.11" {
		j.SLUID = ""
	}
	return j
}

// idlePolicies stop few jobs themselves.
var idlePolicies = []string{"fifo", "easy", "drf", "fairbridge", "astraea"}

// AllowsIdleStop reports whether the owner of the nth job allows that it is requeued when its GPUs do no work.
func (s Site) AllowsIdleStop(n int) bool { return s.StopIdleAfter > 0 && s.pick(4, int64(n), -1) > 0 }

// workSlot is how long a job computes at a stretch, or does nothing; longer than the longest gap between readings that
// nothing is missed in.
const workSlot = 6 * time.Minute

// Works reports whether a job uses its GPUs at a moment: some always do, some never, some now and then.
func (s Site) Works(job int64, at time.Time) bool {
	switch s.pick(3, job, 0) {
	case 0:
		return true
	case 1:
		return false
	}
	return s.pick(4, job, at.Unix()/int64(workSlot.Seconds())) == 0
}

// IdleSince returns since when a job that runs since start has not worked, up to a moment; the moment itself where it works.
func (s Site) IdleSince(job int64, start, at time.Time) time.Time {
	since := at
	for since.After(start) && !s.Works(job, since.Add(-time.Nanosecond)) {
		since = since.Add(-time.Nanosecond).Truncate(workSlot)
	}
	if since.Before(start) {
		return start
	}
	return since
}

// silentSlot is how long a probe that does not answer stays silent, at least; two of them are longer than the longest gap.
const silentSlot = 4 * time.Minute

// SilentSince returns since when the probe of a node, by number, measures nothing at a moment; the moment itself: it does measure.
func (s Site) SilentSince(node int, at time.Time) time.Time {
	since := at
	for s.pick(5, -1-int64(node), since.Add(-time.Nanosecond).Unix()/int64(silentSlot.Seconds())) == 0 {
		since = since.Add(-time.Nanosecond).Truncate(silentSlot)
	}
	return since
}

// pick draws a number below n, the same for the same site, thing and time.
func (s Site) pick(n uint64, thing, slot int64) uint64 {
	h := fnv.New64a()
	for _, x := range []uint64{s.Seed, uint64(thing), uint64(slot)} {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, x))
	}
	return h.Sum64() >> 17 % n
}
