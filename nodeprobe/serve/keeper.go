package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fairbridge/nodeprobe"
)

// Source takes samples. The error means that none could be taken; a sample
// whose Error is set means that there is no working driver.
type Source interface {
	Take(context.Context) (nodeprobe.Sample, error)
}

// Keeper takes samples regularly and keeps the last good one.
type Keeper struct {
	// Reports tells what jobs said of their progress; nil: nothing. It is set
	// before the keeper is used.
	Reports func() []nodeprobe.Report

	source Source
	log    *slog.Logger
	now    func() time.Time

	mu              sync.Mutex
	good            nodeprobe.Sample // the last with a working driver; zero At: none yet
	taken           time.Time        // when it was taken, by the steady clock
	trouble         string           // why there is none since; "" when there is
	hung            bool             // nothing answered at the last try
	tries, failures uint64
}

// NewKeeper returns a keeper for the node that has no sample yet.
func NewKeeper(node string, source Source, log *slog.Logger, now func() time.Time) *Keeper {
	return &Keeper{source: source, log: log, now: now, trouble: "no sample was taken yet",
		good: nodeprobe.Sample{Node: node, GPUs: []nodeprobe.GPU{}}}
}

// Run takes a sample at once and then every interval until the context ends,
// and calls after when each is done, whether it was good or not.
func (k *Keeper) Run(ctx context.Context, every time.Duration, after func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		k.Step(ctx)
		after()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Step takes one sample.
func (k *Keeper) Step(ctx context.Context) {
	s, err := k.source.Take(ctx)
	if ctx.Err() != nil {
		return // stopping, not failing
	}
	why := s.Error
	if err != nil {
		why = err.Error()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tell(why)
	k.tries++
	k.hung, k.trouble = err != nil, why
	if why != "" {
		k.failures++
		return
	}
	k.keep(s)
}

// tell logs a change, not a state.
func (k *Keeper) tell(why string) {
	switch {
	case why != "" && k.trouble != why:
		k.log.Warn("no fresh sample of the GPUs", "why", why)
	case why == "" && k.trouble != "":
		k.log.Info("the GPUs are sampled")
	}
}

func (k *Keeper) keep(s nodeprobe.Sample) {
	var before *nodeprobe.Sample
	if !k.good.At.IsZero() {
		before = &k.good
	}
	s.Node, s.Seq = k.good.Node, k.good.Seq+1
	s.Settle(before)
	k.good, k.taken = s, k.now()
}

// Sample returns the last good sample with its age, marked stale when newer
// ones failed. Its slices must not be changed.
func (k *Keeper) Sample() nodeprobe.Sample {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.good
	s.Error = k.trouble
	if k.Reports != nil {
		s.Reports = k.Reports()
	}
	if !s.At.IsZero() {
		s.Stale = k.trouble != ""
		s.Age = k.now().Sub(k.taken).Seconds()
	}
	return s
}

// Hung says why nothing answers, "" when the driver or its absence was seen at
// the last try.
func (k *Keeper) Hung() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hung {
		return k.trouble
	}
	return ""
}

// Counts returns how many samples were tried and how many failed.
func (k *Keeper) Counts() (tries, failures uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tries, k.failures
}
