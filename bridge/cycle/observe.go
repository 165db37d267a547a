package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
)

// The first statements of a cycle find out what it is to know, and return what
// that is and why nothing may follow from it.

// newDoubts is one reason.
func newDoubts(cause bridge.Cause, err error) []bridge.Doubt {
	return []bridge.Doubt{{Cause: cause, Err: err}}
}

// observeCluster polls Slurm and makes sure that it is the cluster we are set up for.
func (l *Loop) observeCluster(ctx context.Context) (bridge.Facts, []bridge.Doubt) {
	from := l.Now()
	v, err := l.Cluster.Observe(ctx)
	if err != nil {
		return bridge.Facts{}, newDoubts(bridge.CauseFailedPoll, fmt.Errorf("polling Slurm: %w", err))
	}
	if err := v.CheckCluster(l.Config.ClusterName); err != nil {
		return bridge.Facts{}, newDoubts(bridge.CauseFailedPoll, err)
	}
	l.Metrics.observeStep("poll", l.Now().Sub(from))
	return bridge.Facts{View: v}, nil
}

// FullReader is a Cluster of which most polls read only what has changed.
type FullReader interface {
	// RequestFullRead makes the next poll read the record of every job, and every nice. It may be
	// put off where that would be too often: who still wants one then asks again.
	RequestFullRead()
}

// requestFullRead asks for a whole list where somebody changed a nice of ours, and where stops wait for one: those
// that would be sent, and those of partitions that only observe, whose plans are to be the ones that would be sent.
func (l *Loop) requestFullRead(f *bridge.Facts, evaluations []PartitionResult) {
	c, ok := l.Cluster.(FullReader)
	if ok && (ledger.NeedsNices(f.Intents, f.View) || slices.ContainsFunc(evaluations, func(e PartitionResult) bool {
		return e.NeedsFullRead && (e.MaySendEdits || !e.Partition.Mode.Allows(bridge.ModeRank))
	})) {
		c.RequestFullRead()
	}
}

// recordView stores what the view shows of runs, and recalls the past.
func (l *Loop) recordView(ctx context.Context, f bridge.Facts, m Memory) (bridge.Facts, Memory, []bridge.Doubt) {
	from := l.Now()
	if err := l.History.RecordView(ctx, f.View); err != nil {
		return f, m, newDoubts(bridge.CauseHistory, fmt.Errorf("recording runs: %w", err))
	}
	f, m, doubts := l.addPast(ctx, f, m)
	if doubts == nil {
		l.Metrics.observeStep("history", l.Now().Sub(from))
	}
	return f, m, doubts
}

// addPast adds what is known of the past.
func (l *Loop) addPast(ctx context.Context, f bridge.Facts, m Memory) (bridge.Facts, Memory, []bridge.Doubt) {
	var err error
	if f.Past, err = l.History.Past(ctx, f.View.Cluster, f.View.At); err != nil {
		return f, m, newDoubts(bridge.CauseHistory, fmt.Errorf("reading usage history: %w", err))
	}
	f.MemoByPartition = map[string]bridge.Memo{}
	for _, p := range decidedPartitions(l.Partitions, m.Demotions, f.View.At) {
		memo, err := l.History.Memo(ctx, f.View.Cluster, &p)
		if err != nil {
			return f, m, newDoubts(bridge.CauseHistory, fmt.Errorf("reading the last cycle of partition %s: %w", p.Name, err))
		}
		m = m.detectDatabaseRestore(p.Name, memo.CycleSeq, l.Now())
		f.MemoByPartition[p.Name] = memo
	}
	return f, m, nil
}

// settleIntents closes the intents whose outcome the view shows, and stores what tasks have inherited.
func (l *Loop) settleIntents(ctx context.Context, f bridge.Facts) (bridge.Facts, []bridge.Doubt) {
	intents, changed := push.ReconcileIntents(f.Intents, f.View)
	stillLeads := func(ctx context.Context) error { return l.leader.Renew(ctx, l.Leadership) }
	if err := push.UpdateChangedIntents(ctx, l.Journal, changed, stillLeads, l.Metrics.countEdit); err != nil {
		return f, newDoubts(bridge.CauseJournal, err)
	}
	l.Metrics.setView(f.View, ledger.CountUnsettledIntents(intents, f.View))
	intents, err := push.StoreInheritedIntents(ctx, l.Journal, l.leader.Epoch, intents)
	if err != nil {
		return f, newDoubts(bridge.CauseJournal, err)
	}
	f.Intents = intents
	return f, nil
}

// addMeasurements adds what the probes say. Measurements are optional, as is what else of
// a view may be missing: policies fall back.
func (l *Loop) addMeasurements(ctx context.Context, f bridge.Facts, r *Report) bridge.Facts {
	if old := f.View.StalePartitionsReason; old != "" {
		r.addWarning(bridge.CauseStalePartitions, errors.New(old))
	}
	if f.View.StaleReservationsReason != "" {
		r.addWarning(bridge.CauseUnreadReservations, errors.New(f.View.StaleReservationsReason))
	}
	var err error
	if f.MeasuredByNode, err = l.Probes.Sample(ctx, f.View); err != nil {
		r.addWarning(bridge.CauseProbes, err)
	}
	if p, ok := l.Probes.(bridge.JobUseProbes); ok {
		f.UseByJob = p.UseByJob()
	}
	return f
}

var errNoExpiryTimer = errors.New("no node is named for any job, since nothing outside the daemon would take that back: systemctl enable --now fairbridge-expire.timer")

// hasExpiryTimer reports whether something outside the daemon would take node lists
// back if we died now. Where it does not, none is set.
func (l *Loop) hasExpiryTimer(ctx context.Context, r *Report) bool {
	if !anyPartitionAllows(l.Partitions, bridge.ModeSteer) {
		return true // no node list is sent
	}
	if !l.PinsStartingJobs || l.ExpirerStatus == nil {
		return false
	}
	ago, ok, err := l.ExpirerStatus.TimeSinceExpirerRan(ctx, l.Config.ClusterName)
	switch {
	case err != nil:
		r.addWarning(bridge.CauseNoExpiryTimer, err)
	case !ok:
		r.addWarning(bridge.CauseNoExpiryTimer, errNoExpiryTimer)
	case ago > push.MaxTimeSinceExpirerRan:
		r.addWarning(bridge.CauseNoExpiryTimer, fmt.Errorf("%w; it last ran %v ago", errNoExpiryTimer, ago.Round(time.Second)))
	}
	return err == nil && ok && ago <= push.MaxTimeSinceExpirerRan
}
