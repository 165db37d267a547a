package answers

import (
	"context"

	"fairbridge/api"
	"fairbridge/bridge"
)

// Policies says what decides in each partition, in which mode, and what lowered it.
func (s *Service) Policies(ctx context.Context, v api.Viewer) (*api.Policies, error) {
	w := s.newRequest(ctx, &v)
	out := &api.Policies{Daemon: w.daemonState(ctx)}
	demotions, err := s.parts.Record.ActiveDemotions(ctx, s.Cluster)
	if err != nil && !isUnavailable(err) {
		return nil, toldError(&v, "reading which partitions are demoted", err)
	}
	if err != nil && out.Daemon.RecordError == "" {
		out.Daemon.RecordError = "the database cannot be asked now"
	}
	for i := range s.Partitions {
		p := &s.Partitions[i]
		one := api.PartitionPolicy{PartitionState: w.partitionState(p), ConfiguredMode: p.Mode, Demotion: w.demotionOf(demotions, p.Name)}
		if p.Canary != nil {
			one.Canary = p.Canary.Candidate()
		}
		out.Partitions = append(out.Partitions, one)
	}
	return out, nil
}

// demotionOf returns what lowers the whole partition; nil: nothing does. By whom and why is for operators.
func (w *request) demotionOf(list []bridge.Demotion, partition string) *bridge.Demotion {
	for _, d := range list {
		if d.Partition != partition || d.Candidate != "" {
			continue
		}
		told := w.Demotion(d)
		return &told
	}
	return nil
}

// The states of Health.
const (
	healthOK        = "ok"
	healthObserving = "observing"
	healthDoubt     = "doubt"
	healthStale     = "stale"
)

// Health says whether fairbridge works. It is public and never fails: what cannot be known shows as such.
func (s *Service) Health(ctx context.Context) (*api.Health, error) {
	public := api.Viewer{Role: api.RoleUser}
	w := s.newRequest(ctx, &public)
	daemon := s.daemon.state(ctx)
	out := &api.Health{Cluster: s.Cluster, Version: s.Version, Status: healthOK}
	out.Daemon.Database = daemon.RecordError == "" && w.cyclesErr == nil
	out.Daemon.Leads = daemon.Leader != nil && daemon.Leader.Leads
	for _, d := range daemon.Doubts {
		if out.Daemon.DoubtSince.IsZero() || d.Since.Before(out.Daemon.DoubtSince) {
			out.Daemon.DoubtSince = d.Since
		}
	}
	mayChange, isStale := false, false
	for i := range s.Partitions {
		p := w.partitionState(&s.Partitions[i])
		p.NotPushed = nil
		out.Partitions = append(out.Partitions, p)
		mayChange, isStale = mayChange || p.Mode.Allows(bridge.ModeRank), isStale || p.Stale && p.Mode != bridge.ModeOff
	}
	switch {
	case isStale:
		out.Status = healthStale
	case len(daemon.Doubts) > 0:
		out.Status = healthDoubt
	case !mayChange:
		out.Status = healthObserving
	}
	return out, nil
}
