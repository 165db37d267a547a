// Package arrivals draws the jobs that arrive at a simulated Slurm.
package arrivals

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/sim"
)

// Config describes a made-up workload of deep-learning jobs: run times spread
// log-normally around a median, most jobs small, a few gangs.
type Config struct {
	Seed             int64
	Jobs             int
	Span             time.Duration // arrivals are spread over it, at random
	Median           time.Duration // of the run times; 30 min when zero
	Users            []sim.User    // who submits; with accounts
	PerNode          int           // GPUs of a node; 8 when zero
	MaxNodes         int           // of the widest gang; 2 when zero
	LimitFactor      float64       // how far limits exceed run times at most; 3 when zero
	PreemptibleShare float64       // share of jobs that checkpoint and say fairbridge:preemptible
}

// Arrival is one job that arrives.
type Arrival struct {
	After time.Duration // since the start
	Spec  sim.Spec
}

// Draw draws the workload. The same Load gives the same jobs.
func (l Config) Draw() []Arrival {
	r := rand.New(rand.NewPCG(uint64(l.Seed), 0x10ad))
	if l.Median == 0 {
		l.Median = 30 * time.Minute
	}
	if l.PerNode == 0 {
		l.PerNode = 8
	}
	if l.MaxNodes == 0 {
		l.MaxNodes = 2
	}
	if l.LimitFactor == 0 {
		l.LimitFactor = 3
	}
	if len(l.Users) == 0 {
		l.Users = []sim.User{{Name: "user"}}
	}
	out := make([]Arrival, l.Jobs)
	gap := float64(l.Span) / float64(max(l.Jobs, 1))
	at := 0.0
	for i := range out {
		at += r.ExpFloat64() * gap
		out[i] = Arrival{time.Duration(at).Truncate(time.Second), l.drawJob(r, i)}
	}
	return out
}

func (l Config) drawJob(r *rand.Rand, i int) sim.Spec {
	u := l.Users[r.IntN(len(l.Users))]
	s := sim.Spec{Name: fmt.Sprintf("train-%03d", i+1), User: u.Name, Account: u.Account, CPUs: 4}
	s.Nodes, s.GPUsPerNode = 1, []int{1, 1, 1, 2, 2, 4, 4, 8}[r.IntN(8)]
	s.GPUsPerNode = min(s.GPUsPerNode, l.PerNode)
	if s.GPUsPerNode == l.PerNode && l.MaxNodes > 1 && r.IntN(2) == 0 {
		s.Nodes = 2 + r.IntN(l.MaxNodes-1)
	}
	work := float64(l.Median) * math.Exp(r.NormFloat64())
	s.Work = max(time.Duration(work).Truncate(time.Second), time.Minute)
	limit := float64(s.Work) * (1.1 + r.Float64()*(l.LimitFactor-1.1))
	s.Limit = time.Duration(limit).Truncate(time.Minute) + time.Minute
	if r.Float64() < l.PreemptibleShare {
		s.Checkpoint, s.CheckpointEvery, s.Overhead = true, 5*time.Minute, 30*time.Second
		s.Comment = "fairbridge:preemptible,ckpt=30s"
	}
	return s
}

// Schedule lets the jobs arrive in a world, counted from now. An error names the
// job that cannot be.
func Schedule(w *sim.World, jobs []Arrival) error {
	start := w.Now()
	for _, a := range jobs {
		if err := w.Arrive(start.Add(a.After), a.Spec); err != nil {
			return fmt.Errorf("job %s: %w", a.Spec.Name, err)
		}
	}
	return nil
}
