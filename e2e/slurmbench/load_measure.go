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

// loadSample is what slurmctld counted in a window.
type loadSample struct {
	kind string
	slurm.Diag
	ownUser string // under whose name fairbridge's requests are
}

// measureRound measures without fairbridge, then with it, and takes back what it set.
func (s *loadSite) measureRound(ctx context.Context, window time.Duration) ([]loadSample, error) {
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
	return []loadSample{without, first, later}, s.daemon.run(ctx, "release")
}

// measureWindow clears slurmctld's counters, begins, waits and reads them.
func (s *loadSite) measureWindow(
	ctx context.Context,
	kind string,
	window time.Duration,
	begin func() error,
) (loadSample, error) {
	if _, err := s.slurm.Run(ctx, "root", "sdiag", "--reset"); err != nil {
		return loadSample{}, fmt.Errorf("clearing slurmctld's counters: %w", err)
	}
	if err := begin(); err != nil {
		return loadSample{}, err
	}
	if err := sleep(ctx, window); err != nil {
		return loadSample{}, err
	}
	d, err := s.reader.ReadDiag(ctx)
	return loadSample{kind: kind, Diag: d, ownUser: s.slurm.TokenUser}, err
}

// span is the time in which was counted.
func (s *loadSample) span() time.Duration { return s.Now.Sub(s.CountersStart) }

// load is what the requests of fairbridge cost, and all other requests.
func (s *loadSample) load() (own, others slurm.RPCCount) {
	l := s.LoadBy(s.ownUser)
	return l.Own, slurm.RPCCount{Count: l.All.Count - l.Own.Count, TotalTime: l.All.TotalTime - l.Own.TotalTime}
}
