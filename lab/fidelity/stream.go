// Package fidelity asks whether the simulated Slurm is true: the same streams of jobs
// through a real slurmctld and through package sim, and their figures beside each other.
// The real runs are made by cmd/fidelity; this package has the streams, the simulated
// runs, the comparison and the page.
package fidelity

import (
	"fmt"
	"math"
	"math/rand"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// Stream is one stream of jobs on one cluster.
type Stream struct {
	Name        string
	Title       string // what it is like, in a few words
	NodeCount   int
	GPUsPerNode int // all of type a100
	Speed       int // seconds inside the real Slurm for a second outside
	SlurmConf   string
	RestartCost time.Duration // of each start after the first
	Jobs        []workload.Job
	LoopConfig  bridge.Config // of fairbridge beside it; cluster and partitions are filled in by who runs it
}

// Users are those of the throw-away Slurm, with their accounts' shares.
var Users = []struct {
	Name, Account string
	Shares        float64
}{{"alice", "research", 2}, {"bob", "teaching", 1}, {"carol", "vision", 1}}

// Streams returns the streams, by name each the same at every call.
func Streams() []Stream {
	return []Stream{newShortStream(160), newArrayStream(), newOveraskedStream(), newStopStream(), newGangStream(), newDayStream()}
}

// FindStream returns the stream of a name.
func FindStream(name string) (Stream, error) {
	var names []string
	for _, s := range append(Streams(), NewTestStream()) {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Stream{}, fmt.Errorf("no stream %q; there are %v", name, names)
}

// NewTestStream is a short stream that a test can afford.
func NewTestStream() Stream {
	s := newShortStream(60)
	s.Name, s.Title = "test", "the first 60 jobs of the short stream"
	return s
}

// PartitionName is the partition of the real Slurm that takes the jobs.
const PartitionName = "study"

// usualConf is what a site with GPUs sets: use is counted in GPUs, and messages have time
// enough although it runs faster.
const usualConf = "MessageTimeout=900\nSlurmdTimeout=0\nInactiveLimit=0\n" +
	`PartitionName=study Nodes=ALL MaxTime=7-0 DefMemPerCPU=1000 State=UP TRESBillingWeights="GRES/gpu=1.0"` + "\n"

// siteScheduling is Slurm's scheduling as it comes, and bf_continue, as most sites have it. A pass
// of backfill yields its locks every two seconds, which are a tenth of one where time runs
// faster: it need not.
const siteScheduling = "SchedulerParameters=sched_interval=60,bf_interval=30,bf_window=1440,batch_sched_delay=3,bf_continue,bf_yield_interval=100000000\n" +
	"PriorityCalcPeriod=5\nAuthInfo=cred_expire=120\n"

func newShortStream(n int) Stream {
	d := newDrawer(11)
	s := Stream{
		Name: "short", Title: fmt.Sprintf("%d jobs of 4 to 70 s, Slurm's passes every 5 s", n), NodeCount: 4, GPUsPerNode: 8, Speed: 4,
		SlurmConf: usualConf + "AuthInfo=cred_expire=30\n", RestartCost: 2 * time.Second,
	}
	at := 0.0
	for range n {
		at += d.ExpFloat64() * 1.8
		s.Jobs = append(s.Jobs, d.newJob(at, d.between(4, 70, 14), d.pick(1, 1, 1, 2, 2, 4, 4, 8, 8, 16), 1, 3))
	}
	s.LoopConfig = newLoopConfig(5*time.Second, 180)
	return s
}

func newGangStream() Stream {
	d := newDrawer(12)
	s := Stream{
		Name: "gangs", Title: "170 jobs of 1 to 30 min, half of them gangs over nodes, limits up to ten times too long, some sent ten at once; Slurm's own passes", NodeCount: 64, GPUsPerNode: 8, Speed: 20,
		SlurmConf: usualConf + siteScheduling, RestartCost: 10 * time.Second,
	}
	at := 0.0
	for len(s.Jobs) < 170 {
		at += d.ExpFloat64() * 18
		gpus, length := d.pick(1, 2, 4, 8, 16, 32, 64), d.between(60, 1800, 420)
		count := 1
		if gpus <= 4 && d.Float64() < .25 {
			count = 10
		}
		for range count {
			s.Jobs = append(s.Jobs, d.newJob(at, length*d.between(.8, 1.2, 1), gpus, 1.2, 10))
		}
	}
	s.LoopConfig = newLoopConfig(30*time.Second, 4)
	return s
}

func newDayStream() Stream {
	d := newDrawer(13)
	s := Stream{
		Name: "day", Title: "200 jobs of 3 min to 3 h that come within 4 h, on 256 nodes; Slurm's own passes", NodeCount: 256, GPUsPerNode: 8, Speed: 30,
		SlurmConf: usualConf + siteScheduling, RestartCost: time.Minute,
	}
	for i := range 200 {
		at := 14400 * (float64(i) + d.Float64()) / 200
		s.Jobs = append(s.Jobs, d.newJob(at, d.between(180, 10800, 2400), d.pick(1, 2, 4, 8, 8, 16, 32, 64, 128, 256), 1.1, 4))
	}
	s.LoopConfig = newLoopConfig(30*time.Second, 1)
	return s
}

// newLoopConfig returns fairbridge's defaults with all declared times divided by pace.
func newLoopConfig(interval time.Duration, pace int) bridge.Config {
	c := bridge.DefaultConfig()
	c.Interval = interval
	b, shorter := &c.Budgets, func(d *time.Duration, least time.Duration) { *d = max(*d/time.Duration(pace), least) }
	shorter(&b.LeaseMin, 10*time.Second)
	shorter(&b.Quantum, 10*time.Second)
	shorter(&b.StopPause, time.Minute)
	shorter(&b.Cooldown, time.Minute)
	shorter(&b.EditCooldown, interval*2/3) // as by default: with a whole interval every second change is refused
	shorter(&b.RestartCost, time.Second)
	shorter(&c.Lease.Length, 30*time.Second)
	b.JobStops4h, b.JobStops24h, b.UserStops1h, b.AccountStops1h, b.StopFloor1h, b.StopFloor = 20, 20, 600, 600, 1000, 4
	b.StopPercent, b.StopPercent1h, b.LostPercent24h, b.LostPercent1h, b.GainFactor, b.PlanStopPercent = 50, 5000, 100, 100, 1, 100
	return c
}

// drawer draws jobs.
type drawer struct {
	*rand.Rand
	count int
}

func newDrawer(seed int64) *drawer { return &drawer{Rand: rand.New(rand.NewSource(seed))} }

func (d *drawer) pick(of ...int) int { return of[d.Intn(len(of))] }

// between draws from a log-normal distribution of the median, cut off at both ends.
func (d *drawer) between(least, most, median float64) float64 {
	return math.Min(math.Max(median*math.Exp(.9*d.NormFloat64()), least), most)
}

// newJob returns a job whose limit is between so many times its length.
func (d *drawer) newJob(at, length float64, gpus int, least, most float64) workload.Job {
	d.count++
	u := Users[d.pick(0, 0, 1, 2)]
	length = math.Round(length)
	limit := math.Ceil(length*(least+(most-least)*d.Float64())/60) * 60
	return workload.Job{
		ID: int64(d.count), Name: fmt.Sprintf("f%d", d.count), User: u.Name, Account: u.Account,
		Arrive: math.Round(at*10) / 10, GPUs: gpus, Duration: length, TimeLimit: policy.DurationFromSeconds(limit + 60),
	}
}
