package push

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// ExpirerNameSuffix ends the names under which Expirers lead, so that their own
// leadership is not taken for a daemon's.
const ExpirerNameSuffix = ":expire"

const (
	// MinLeaderlessTimeForOrder is how long no daemon must have led before order numbers are given
	// back: longer than a restart or an upgrade takes. They hold no job.
	MinLeaderlessTimeForOrder = 10 * time.Minute
	// MaxTimeSinceExpirerRan is how old the last sign of the Expirer may be while jobs are
	// bound to nodes: it runs every minute.
	MaxTimeSinceExpirerRan = 3 * time.Minute
)

// Expirer gives back what a daemon that is gone left in Slurm and does not end
// by itself: node lists, and later order numbers. A timer outside the daemon
// runs it every minute. While a daemon leads it does nothing.
type Expirer struct {
	Releaser
	// LeaderWatch is the database. nil: it cannot be reached, and the ledger is the
	// local journal, whose lock says that no daemon runs here. Only node lists
	// are given back then: another host's daemon may lead and order.
	LeaderWatch bridge.LeaderWatch
	// MinLeaderlessTime is how long no daemon must have led before node lists are given back.
	MinLeaderlessTime time.Duration
	StopFile          string // while it exists nothing is given back, and no sign left
	// OperatorActions are what operators did: while they stopped us, it is as with the STOP file. nil: it is not asked.
	OperatorActions bridge.OperatorActions
}

// AccessChecker is a cluster that can say whether a call would reach Slurm, without
// one that changes or lists anything.
type AccessChecker interface {
	CheckAccess(context.Context) error
}

// Run does what is due and returns it.
func (x *Expirer) Run(ctx context.Context) (*ReleaseResult, error) {
	if StopFileExists(x.StopFile) {
		return &ReleaseResult{}, nil
	}
	if stopped, err := x.isStopped(ctx); err != nil || stopped {
		return &ReleaseResult{}, err
	}
	if c, ok := x.Cluster.(AccessChecker); ok {
		if err := c.CheckAccess(ctx); err != nil { // what cannot end anything leaves no sign
			return nil, fmt.Errorf("reaching Slurm: %w", err)
		}
	}
	alone := x.MinLeaderlessTime
	if x.LeaderWatch != nil {
		leader, long, err := x.LeaderWatch.NoteExpirerRun(ctx, x.ClusterName)
		if alone = long; err != nil || leader != "" || alone < x.MinLeaderlessTime {
			return &ReleaseResult{}, err
		}
	}
	x.ShouldGiveBack = func(e slurm.Edit, in *bridge.Intent) bool { return x.isKindDue(e.Kind, in, alone) }
	if due, err := x.mayHaveDueIntents(ctx, alone); err != nil || !due {
		return &ReleaseResult{}, err
	}
	return x.giveBackDueValues(ctx)
}

// isStopped reports whether an operator stopped us, as far as the database can be asked.
func (x *Expirer) isStopped(ctx context.Context) (bool, error) {
	if x.OperatorActions == nil || x.LeaderWatch == nil {
		return false, nil
	}
	standing, err := x.OperatorActions.StandingActions(ctx, x.ClusterName)
	return bridge.FindStop(standing) != nil, err
}

// isKindDue reports whether a value of the kind is to be given back.
func (x *Expirer) isKindDue(k slurm.EditKind, in *bridge.Intent, alone time.Duration) bool {
	if in != nil && x.LeaderWatch == nil && x.Now().Sub(in.LastTouched()) < x.MinLeaderlessTime {
		return false
	}
	switch actuator.EditKindRowOf(k).Field.OutliveLimit {
	case actuator.OutlivesBriefly:
		return true
	case actuator.OutlivesForLong:
		return alone >= MinLeaderlessTimeForOrder
	}
	return false
}

// mayHaveDueIntents reports whether the ledger knows of something that may be due, so that
// Slurm's lists need not be read every minute while no daemon leads.
func (x *Expirer) mayHaveDueIntents(ctx context.Context, alone time.Duration) (bool, error) {
	intents, err := x.Journal.Intents(ctx, x.ClusterName, x.Now(), x.Now())
	if err != nil {
		return false, fmt.Errorf("reading the ledger: %w", err)
	}
	for i := range intents {
		in := &intents[i]
		if actuator.EditKindRowOf(in.Edit.Kind).TakesTwoCalls && in.State.IsOpen() || x.isKindDue(in.Edit.Kind, in, alone) {
			return true, nil
		}
	}
	return false, nil
}

// giveBackDueValues leads and releases, if there is anything to give back.
func (x *Expirer) giveBackDueValues(ctx context.Context) (*ReleaseResult, error) {
	f, err := x.readFindings(ctx)
	if err != nil {
		return nil, err
	}
	if len(f.Edits) == 0 && !slices.ContainsFunc(f.Holds, func(h ledger.UnfinishedHandBack) bool { return h.Ours }) {
		return &f.ReleaseResult, nil
	}
	if x.LeaderWatch != nil {
		if _, leads, err := x.Lead(ctx); err != nil || !leads {
			return &ReleaseResult{}, err
		}
		defer func() { _ = x.Resign(ctx) }()
	}
	x.MaxIdleTime = -1 // the next run looks what came of it
	return x.Release(ctx)
}
