// Package arrivals draws the jobs that arrive at a simulated Slurm.
package arrivals

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/replica/sim"
)

// WorkloadConfig describes a made-up workload of deep-learning jobs: run times spread
// log-normally around a median, most jobs small, a few gangs.
type WorkloadConfig struct {
	Seed             int64
	JobCount         int
	ArrivalSpan      time.Duration // arrivals are spread over it, at random
	MedianRunTime    time.Duration // of the run times; 30 min when zero
	Users            []sim.User    // who submits; with accounts
	GPUsPerNode      int           // GPUs of a node; 8 when zero
	MaxNodes         int           // of the widest gang; 2 when zero
	MaxLimitFactor   float64       // how far limits exceed run times at most; 3 when zero
	PreemptibleShare float64       // share of jobs that checkpoint and say fairbridge:preemptible
}

// Arrival is one job that arrives.
type Arrival struct {
	SinceStart time.Duration // since the start
	Spec       sim.JobSpec
}

// DrawArrivals draws the workload. The same Config gives the same jobs.
func (l WorkloadConfig) DrawArrivals() []Arrival {
	r := rand.New(rand.NewPCG(uint64(l.Seed), 0x10ad))
	if l.MedianRunTime == 0 {
		l.MedianRunTime = 30 * time.Minute
	}
	if l.GPUsPerNode == 0 {
		l.GPUsPerNode = 8
	}
	if l.MaxNodes == 0 {
		l.MaxNodes = 2
	}
	if l.MaxLimitFactor == 0 {
		l.MaxLimitFactor = 3
	}
	if len(l.Users) == 0 {
		l.Users = []sim.User{{Name: "user"}}
	}
	out := make([]Arrival, l.JobCount)
	gap := float64(l.ArrivalSpan) / float64(max(l.JobCount, 1))
	at := 0.0
	for i := range out {
		at += r.ExpFloat64() * gap
		out[i] = Arrival{time.Duration(at).Truncate(time.Second), l.drawJob(r, i)}
	}
	return out
}

func (l WorkloadConfig) drawJob(r *rand.Rand, i int) sim.JobSpec {
	u := l.Users[r.IntN(len(l.Users))]
	s := sim.JobSpec{Name: fmt.Sprintf("train-%03d", i+1), User: u.Name, Account: u.DefaultAccount, CPUsPerNode: 4}
	s.MinNodes, s.GPUsPerNode = 1, []int{1, 1, 1, 2, 2, 4, 4, 8}[r.IntN(8)]
	s.GPUsPerNode = min(s.GPUsPerNode, l.GPUsPerNode)
	if s.GPUsPerNode == l.GPUsPerNode && l.MaxNodes > 1 && r.IntN(2) == 0 {
		s.MinNodes = 2 + r.IntN(l.MaxNodes-1)
	}
	work := float64(l.MedianRunTime) * math.Exp(r.NormFloat64())
	s.WorkTime = max(time.Duration(work).Truncate(time.Second), time.Minute)
	limit := float64(s.WorkTime) * (1.1 + r.Float64()*(l.MaxLimitFactor-1.1))
	s.TimeLimit = time.Duration(limit).Truncate(time.Minute) + time.Minute
	if r.Float64() < l.PreemptibleShare {
		s.Checkpoints, s.CheckpointInterval, s.RestoreTime = true, 5*time.Minute, 30*time.Second
		s.Comment = "fairbridge:preemptible,ckpt=30s"
	}
	return s
}

// ScheduleArrivals lets the jobs arrive in a world, counted from now. An error names the
// job that cannot be.
func ScheduleArrivals(w *sim.World, jobs []Arrival) error {
	start := w.Now()
	for _, a := range jobs {
		if err := w.SubmitAt(start.Add(a.SinceStart), a.Spec); err != nil {
			return fmt.Errorf("job %s: %w", a.Spec.Name, err)
		}
	}
	return nil
}
