package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
)

// Database is what the oracle reads of our database: the rows themselves, which
// no process of ours stands before.
type Database interface {
	Intents(ctx context.Context, cluster string, now, since time.Time) ([]bridge.Intent, error)
	Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error)
	Leader() (holder string, epoch int64, until time.Time)
}

// ledger is what stands in our ledger, and what cannot.
type ledger struct {
	database  Database
	now       func() time.Time
	lostSpans lostSpans // by when it was put back
}

// lostSpan is a time of which the database knows nothing, because it was put back.
type lostSpan struct {
	restorePoint time.Time // as of when it was put back
	restoredAt   time.Time // when it was
}

// noteRestored notes that the database is now as it was then. What it did not know then, because
// it had been put back before, it does not know now.
func (l *ledger) noteRestored(at time.Time) {
	l.lostSpans = append(l.lostSpans, lostSpan{restorePoint: at, restoredAt: l.now()})
}

// recentRows are those that may matter today.
func (l *ledger) recentRows() []bridge.Intent {
	all, err := l.database.Intents(context.Background(), site.ClusterName, l.now(), l.now().Add(-30*time.Hour))
	if err != nil {
		return nil
	}
	return all
}

// lostSpans are the times of which the database knows nothing.
type lostSpans []lostSpan

// has reports whether the database was put back behind that moment.
func (l lostSpans) has(at time.Time) bool {
	return slices.ContainsFunc(l, func(s lostSpan) bool { return !at.Before(s.restorePoint) && at.Before(s.restoredAt) })
}

// rowForEdit returns the row of an edit that is being sent; nil: there is none.
func (l *ledger) rowForEdit(e slurm.Edit) *bridge.Intent {
	all := l.recentRows()
	for i := len(all) - 1; i >= 0; i-- {
		in := &all[i]
		if in.State == bridge.IntentSent && in.Edit.Run == e.Run && in.Edit.Kind == e.Kind {
			kept := *in
			return &kept
		}
	}
	return nil
}

// liveFields are the fields for which the ledger says that a value of ours may stand.
func (l *ledger) liveFields() map[jobField]bool {
	live := map[jobField]bool{}
	all := l.recentRows()
	for i := range all {
		in := &all[i]
		if in.State == bridge.IntentObserved || in.State.IsOpen() {
			live[jobField{in.Edit.Run.Job, fieldOfKind(in.Edit.Kind)}] = true
		}
	}
	return live
}

// formatFieldRows is what the ledger has of a field.
func (l *ledger) formatFieldRows(id int64, f Field) string {
	var b strings.Builder
	all := l.recentRows()
	for i := range all {
		if in := &all[i]; in.Edit.Run.Job == id && fieldOfKind(in.Edit.Kind) == f {
			fmt.Fprintf(&b, "%v %s %s; ", in.Edit, in.State, in.Error)
		}
	}
	return b.String()
}
