package main

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge/slurm"
)

// The kinds of windows of a round, in their order.
const (
	kindWithout = "without fairbridge"
	kindFirst   = "its first minutes"
	kindLater   = "the minutes after"
)

var kindNames = []string{kindWithout, kindFirst, kindLater}

// sample is what slurmctld counted in a window.
type sample struct {
	kind string
	slurm.Diag
	ownUser string // under whose name fairbridge's requests are
}

// measureRound measures without fairbridge, then with it, and takes back what it set.
func (s *site) measureRound(ctx context.Context, window time.Duration) ([]sample, error) {
	without, err := s.measureWindow(ctx, kindWithout, window, func() error { return nil })
	if err != nil {
		return nil, err
	}
	first, err := s.measureWindow(ctx, kindFirst, window, func() error { return s.daemon.start(ctx) })
	if err != nil {
		return nil, err
	}
	later, err := s.measureWindow(ctx, kindLater, window, func() error { return nil })
	if err != nil {
		return nil, err
	}
	if err := s.daemon.stop(); err != nil {
		return nil, err
	}
	return []sample{without, first, later}, s.daemon.run(ctx, "release")
}

// measureWindow clears slurmctld's counters, begins, waits and reads them.
func (s *site) measureWindow(ctx context.Context, kind string, window time.Duration, begin func() error) (sample, error) {
	if _, err := s.slurm.Run(ctx, "root", "sdiag", "--reset"); err != nil {
		return sample{}, fmt.Errorf("clearing slurmctld's counters: %w", err)
	}
	if err := begin(); err != nil {
		return sample{}, err
	}
	if err := sleep(ctx, window); err != nil {
		return sample{}, err
	}
	d, err := s.reader.ReadDiag(ctx)
	return sample{kind: kind, Diag: d, ownUser: s.slurm.TokenUser}, err
}

// span is the time in which was counted.
func (s *sample) span() time.Duration { return s.Now.Sub(s.CountersStart) }

// load is what the requests of fairbridge cost, and all other requests.
func (s *sample) load() (own, others slurm.RPCCount) {
	l := s.LoadBy(s.ownUser)
	return l.Own, slurm.RPCCount{Count: l.All.Count - l.Own.Count, TotalTime: l.All.TotalTime - l.Own.TotalTime}
}
