package policytest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// BusyCluster returns a busy cluster for measurements: nodes of 8 GPUs each, two
// types, and n jobs, of which at most half run, as far as there is room. Sizes
// and durations are spread as in production traces: most jobs take one GPU, run
// times are log-uniform from minutes to days. The same arguments give the same
// snapshot.
func BusyCluster(nodes, n int) *policy.Snapshot {
	s := &policy.Snapshot{Cluster: "crowd", Seq: 1, Now: SnapshotTime}
	for i := range nodes {
		s.Nodes = append(s.Nodes, policy.Node{
			Name: fmt.Sprintf("n%04d", i), LeafSwitch: fmt.Sprintf("leaf%02d", i/16), Partitions: []string{"batch"},
			CPUs: 128, MemMB: 1_000_000, GPUs: []policy.NodeDevices{{Type: []string{a100Type, h100Type}[i*2/nodes], Count: 8}},
		})
	}
	for i := range 20 {
		s.Accounts = append(s.Accounts, policy.Account{Name: fmt.Sprintf("acc%02d", i), Weight: float64(1 + i%4),
			RecentService: policy.GPUSeconds(i * i * 100_000)})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	free, full := pool.New(s), false
	for i := range n {
		j := drawJob(rng, policy.JobID(i+1))
		if i < n/2 && !full {
			full = !startJob(rng, free, &j) && j.Ask.GPUs.Count == 1
		}
		s.Jobs = append(s.Jobs, j)
	}
	for range 2000 {
		h := policy.FinishedJob{GPUs: 1 << rng.IntN(4), Ran: drawRunTime(rng)}
		h.Service = policy.ServiceForTime(float64(h.GPUs), h.Ran)
		s.History = append(s.History, h)
	}
	return s
}

// drawRunTime is a log-uniform run time from a minute to four days.
func drawRunTime(rng *rand.Rand) time.Duration {
	return time.Duration(math.Pow(10, rng.Float64()*3.76) * float64(time.Minute))
}

func drawJob(rng *rand.Rand, id policy.JobID) policy.Job {
	gpus := 1
	switch p := rng.Float64(); {
	case p > 0.99:
		gpus = 32
	case p > 0.95:
		gpus = 8
	case p > 0.8:
		gpus = 4
	case p > 0.7:
		gpus = 2
	}
	account := rng.IntN(20) * rng.IntN(20) / 20 // some have many jobs
	j := policy.Job{
		ID: id, User: fmt.Sprintf("user%03d", account*10+rng.IntN(10)), Account: fmt.Sprintf("acc%02d", account),
		Partition: "batch", State: policy.Pending, Arrive: SnapshotTime.Add(-time.Duration(rng.IntN(20*3600)) * time.Second),
		Limit: drawRunTime(rng), Ask: policy.Ask{
			GPUs: policy.GPUs{Type: []string{"", a100Type, h100Type, a100Type}[rng.IntN(4)], Count: gpus},
			CPUs: gpus * (4 + 4*rng.IntN(3)), MemMB: int64(gpus) * int64(32_000+32_000*rng.IntN(3))},
	}
	if gpus >= 8 {
		j.Ask.MinNodes, j.Ask.PerNode = gpus/8, 8
	}
	switch rng.IntN(40) {
	case 0:
		j.HeldReason = "held by its user"
	case 1:
		j.Tasks = 2 + rng.IntN(100)
	case 2:
		j.StopCount, j.LastStop = 1, j.Arrive.Add(SnapshotTime.Sub(j.Arrive)/2)
		j.Attained = policy.ServiceForTime(float64(gpus), j.LastStop.Sub(j.Arrive))
	}
	j.Submit = j.Arrive
	return j
}

// startJob lets the job hold devices, if there are any for it.
func startJob(rng *rand.Rand, free *pool.Pool, j *policy.Job) bool {
	on, err := pool.Fit(free, j.Partition, j.Ask)
	if err != nil || free.Take(on, j.Ask.CPUs, j.Ask.MemMB) != nil {
		return false
	}
	j.State, j.On, j.HeldReason, j.Tasks = policy.Running, on, "", 0
	j.Start = SnapshotTime.Add(-time.Duration(rng.Float64() * float64(SnapshotTime.Sub(j.Arrive))))
	j.FirstStart = j.Start
	j.Attained = policy.ServiceForTime(float64(j.Ask.GPUs.Count), SnapshotTime.Sub(j.Start))
	if rng.IntN(2) == 0 {
		j.UnstoppableReason = "not marked as requeueable"
	}
	return true
}

// CycleInterval is the time between two plans in measurements.
const CycleInterval = 30 * time.Second

// NewPolicy makes a policy with parameters as they stand in the configuration, as make
// does, or fails the test.
func NewPolicy[P ~map[string]any](t testing.TB, make func(P) (policy.Policy, error), params P) policy.Policy {
	t.Helper()
	p, err := make(params)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
