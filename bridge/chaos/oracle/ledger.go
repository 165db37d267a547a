package oracle

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/slurm"
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
	db         Database
	now        func() time.Time
	restoredTo time.Time // it knows nothing written after this and before it was put back
	renewed    time.Time // when it was put back
}

// rows are those that may matter today.
func (l *ledger) rows() []bridge.Intent {
	all, err := l.db.Intents(context.Background(), site.Cluster, l.now(), l.now().Add(-30*time.Hour))
	if err != nil {
		return nil
	}
	return all
}

// isBeforeRestore reports whether the database was put back behind that moment.
func (l *ledger) isBeforeRestore(at time.Time) bool {
	return !at.Before(l.restoredTo) && at.Before(l.renewed)
}

// rowOf returns the row of an edit that is being sent; nil: there is none.
func (l *ledger) rowOf(e slurm.Edit) *bridge.Intent {
	all := l.rows()
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
func (l *ledger) liveFields() map[fieldOf]bool {
	live := map[fieldOf]bool{}
	all := l.rows()
	for i := range all {
		in := &all[i]
		if in.State == bridge.IntentObserved || in.State.IsOpen() {
			live[fieldOf{in.Edit.Run.Job, fieldOfKind(in.Edit.Kind)}] = true
		}
	}
	return live
}

// formatRows is what the ledger has of a field.
func (l *ledger) formatRows(id int64, f Field) string {
	var b strings.Builder
	all := l.rows()
	for i := range all {
		if in := &all[i]; in.Edit.Run.Job == id && fieldOfKind(in.Edit.Kind) == f {
			fmt.Fprintf(&b, "%v %s %s; ", in.Edit, in.State, in.Error)
		}
	}
	return b.String()
}
