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

// newArrayStream has job arrays among single jobs; half of the arrays limit how many of their tasks
// run at once.
func newArrayStream() Stream {
	d := newDrawer(14)
	s := Stream{
		Name: "arrays", Title: "10 job arrays of 6 to 20 tasks, half with a limit (%2 to %5), and single jobs, of 4 to 70 s; Slurm's passes every 5 s", NodeCount: 4, GPUsPerNode: 8, Speed: 4,
		SlurmConf: usualConf + "AuthInfo=cred_expire=30\n", RestartCost: 2 * time.Second,
	}
	at := 0.0
	for i := range 35 {
		at += d.ExpFloat64() * 8
		if i%7 == 0 || i%7 == 3 {
			s.Jobs = append(s.Jobs, d.newArray(at, 6+d.Intn(15), d.pick(1, 1, 2, 4), i%7/3*d.pick(2, 3, 4, 5))...)
			continue
		}
		s.Jobs = append(s.Jobs, d.newJob(at, d.between(4, 70, 14), d.pick(1, 2, 4, 8, 16), 1, 3))
	}
	s.LoopConfig = newLoopConfig(5*time.Second, 180)
	return s
}

// newArray returns the tasks of an array: one owner, one limit, each its own length.
func (d *drawer) newArray(at float64, count, gpus, mostRunning int) []workload.Job {
	var out []workload.Job
	for range count {
		j := d.newJob(at, d.between(4, 70, 14), gpus, 1, 3)
		if len(out) > 0 {
			first := &out[0]
			j.Name, j.User, j.Account = first.Name, first.User, first.Account
			first.TimeLimit = max(first.TimeLimit, j.TimeLimit)
		}
		out = append(out, j)
	}
	for i := range out {
		out[i].ArrayID, out[i].ArrayMaxRunning, out[i].TimeLimit = out[0].ID, mostRunning, out[0].TimeLimit
	}
	return out
}

// askedMinutes are the time limits that people type.
var askedMinutes = []float64{5, 10, 15, 30, 60, 120, 240, 480}

// newOveraskedStream has limits as the users of real clusters give them.
func newOveraskedStream() Stream {
	d := newDrawer(15)
	s := Stream{
		Name: "overasked", Title: "160 jobs of 30 s to 10 min, limits 1 to 20 times as long, rounded up to 5, 10, 15, 30 min, 1, 2 or 4 h; Slurm's own passes", NodeCount: 4, GPUsPerNode: 8, Speed: 20,
		SlurmConf: usualConf + siteScheduling, RestartCost: 10 * time.Second,
	}
	at := 0.0
	for range 160 {
		at += d.ExpFloat64() * 12
		j := d.newJob(at, d.between(30, 600, 90), d.pick(1, 1, 1, 2, 2, 4, 4, 8, 8, 16), 1, 1)
		d.overask(&j)
		s.Jobs = append(s.Jobs, j)
	}
	s.LoopConfig = newLoopConfig(30*time.Second, 20)
	return s
}

// overask gives a job a round limit that is 1 to 20 times its length, as often 1 to 2 times as
// 10 to 20.
func (d *drawer) overask(j *workload.Job) {
	least := max(j.Duration*math.Exp(d.Float64()*math.Log(20)), j.Duration+60) / 60
	for _, minutes := range askedMinutes {
		if minutes >= least {
			j.TimeLimit = policy.DurationFromSeconds(minutes * 60)
			return
		}
	}
}

// newStopStream begins with long jobs that fill the cluster, with limits far too long; small jobs
// come later and would wait for them.
func newStopStream() Stream {
	d := newDrawer(16)
	s := Stream{
		Name: "stops", Title: "8 jobs of 20 to 60 min on whole nodes, limits up to ten times too long, and 80 small ones of 30 s to 5 min that come later; Slurm's own passes", NodeCount: 4, GPUsPerNode: 8, Speed: 30,
		SlurmConf: usualConf + siteScheduling, RestartCost: 10 * time.Second,
	}
	at := 0.0
	for range 8 {
		at += d.ExpFloat64() * 10
		s.Jobs = append(s.Jobs, d.newJob(at, d.between(1200, 3600, 2000), 8, 4, 10))
	}
	at = 600
	for range 80 {
		at += d.ExpFloat64() * 25
		s.Jobs = append(s.Jobs, d.newJob(at, d.between(30, 300, 90), d.pick(1, 1, 2, 4), 1, 3))
	}
	s.LoopConfig = newLoopConfig(30*time.Second, 4)
	return s
}
