package answers

import (
	"context"
	"sync"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/api/privacy"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
)

// stateFreshFor is how long it is not asked again who leads and what is in doubt.
const stateFreshFor = time.Second

// recordedState is who leads and what is in doubt, as recorded.
type recordedState struct {
	leader *journal.Leader
	doubts []journal.RecordedDoubt
}

// daemonCache holds who leads and what is in doubt.
type daemonCache struct {
	*keptValue[recordedState]
	maxAge time.Duration
	now    func() time.Time
	mu     sync.Mutex
	leads  bool
	noted  []journal.RecordedDoubt // of the daemon's own last cycle
	noteAt time.Time
}

func newDaemonCache(db *stores.Stores, cluster string, maxAge time.Duration, now func() time.Time) *daemonCache {
	return &daemonCache{maxAge: maxAge, now: now, keptValue: newKept(stateFreshFor, now, func(ctx context.Context) (s recordedState, err error) {
		err = askBriefly(ctx, func(ctx context.Context) error {
			if s.leader, err = db.ReadLeader(ctx, cluster); err != nil {
				return err
			}
			s.doubts, err = db.Doubts(ctx, cluster)
			return err
		})
		return s, err
	})}
}

// note takes over what the daemon's own cycle found in doubt.
func (d *daemonCache) note(r *cycle.Report) {
	at := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	sinceByCause := map[bridge.Cause]time.Time{}
	for _, was := range d.noted {
		sinceByCause[was.Cause] = was.Since
	}
	d.leads, d.noteAt, d.noted = r.Result != cycle.ResultStandby, at, nil
	for _, x := range r.Doubts {
		since, known := sinceByCause[x.Cause]
		if !known {
			since = at
		}
		d.noted = append(d.noted, journal.RecordedDoubt{Cause: x.Cause, Why: x.Err.Error(), Since: since, At: at})
	}
}

// state returns who leads and what is in doubt. While the database is away it is what was last known,
// with what this daemon itself is in doubt about.
func (d *daemonCache) state(ctx context.Context) api.DaemonState {
	s, err := d.Get(ctx)
	out := api.DaemonState{Leader: s.leader, Doubts: s.doubts, MaxAge: d.maxAge}
	if err == nil {
		return out
	}
	out.RecordError = err.Error()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leads && d.now().Sub(d.noteAt) < d.maxAge {
		out.Doubts = append([]journal.RecordedDoubt(nil), d.noted...)
	}
	return out
}

// request is what one request works with: the last cycles, and what its viewer may see.
type request struct {
	*Service
	*privacy.Texts
	cycles    []*lastcycle.Cycle
	cyclesErr error
	now       time.Time
	doubts    []journal.RecordedDoubt // as recorded; set by daemonState
}

// cycleNames say by the last cycles what names in texts stand for, see privacy.Names.
type cycleNames []*lastcycle.Cycle

func (n cycleNames) JobOwner(address string) (user, account string, known bool) {
	return lastcycle.JobOwner(n, address)
}
func (n cycleNames) UserAccounts(name string) []string { return lastcycle.UserAccounts(n, name) }
func (n cycleNames) IsAccount(name string) bool        { return lastcycle.IsAccount(n, name) }

// newRequest reads the last cycles for a viewer.
func (s *Service) newRequest(ctx context.Context, v *api.Viewer) *request {
	w := &request{Service: s, now: s.parts.Now()}
	w.cycles, w.cyclesErr = s.cycles.Cycles(ctx)
	w.Texts = s.newTexts(v, w.cycles)
	return w
}

// newTexts says what a viewer may see, now.
func (s *Service) newTexts(v *api.Viewer, cycles []*lastcycle.Cycle) *privacy.Texts {
	return &privacy.Texts{Rule: privacy.Rule{Viewer: v, Private: s.parts.Privacy()}, Names: cycleNames(cycles)}
}

// cycle returns the last cycle of a partition; nil: none is known.
func (w *request) cycle(partition string) *lastcycle.Cycle {
	for _, c := range w.cycles {
		if c.Partition == partition {
			return c
		}
	}
	return nil
}

// daemonState returns who leads as far as the viewer may see it.
func (w *request) daemonState(ctx context.Context) api.DaemonState {
	d := w.daemon.state(ctx)
	w.doubts = d.Doubts
	if d.RecordError == "" && w.cyclesErr != nil {
		d.RecordError = w.cyclesErr.Error()
	}
	return w.Daemon(d)
}

// withheldReasons says why nothing at all was sent to Slurm in a cycle, as far as the viewer may know.
func (w *request) withheldReasons(c *lastcycle.Cycle) []string {
	return append(lastcycle.ModeReasons(c.Mode), w.Withheld(c.WholeRefusals(), w.doubts)...)
}

// isStale reports whether a cycle says little of the present.
func (w *request) isStale(c *lastcycle.Cycle) bool { return c.Age(w.now) > w.MaxCycleAge }

// partitionState returns the state of a partition by its last cycle, or, where none is known, by the
// configuration.
func (w *request) partitionState(p *bridge.Partition) api.PartitionState {
	c := w.cycle(p.Name)
	if c == nil {
		return api.PartitionState{Name: p.Name, Mode: p.Mode, Policy: p.Policy, Params: p.Params, Stale: true}
	}
	return api.PartitionState{
		Name: c.Partition, Mode: c.Mode, Policy: c.Policy, Params: c.Params, AsOf: c.At, Stale: w.isStale(c),
		NotPushed: w.withheldReasons(c),
	}
}

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
