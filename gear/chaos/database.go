package chaos

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/event"
)

// faultyDatabase is the store as a process reaches it.
type faultyDatabase struct{ process *daemonProcess }

var (
	errDatabaseDown     = errors.New("dial tcp 127.0.0.1:5432: connection refused")
	errCommitAnswerLost = errors.New("unexpected EOF while committing")
)

// beginCall is the beginning of every call.
func (d *faultyDatabase) beginCall(ctx context.Context) error {
	d.process.runDuePortActions()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("asking the database: %w", err)
	}
	if d.process.faults.isActive(event.DatabaseUnreachable, d.process.cycle) {
		return errDatabaseDown
	}
	return nil
}

// endCall is the end of a call that wrote: the commit may be done and not answered.
func (d *faultyDatabase) endCall() error {
	d.process.runDuePortActions()
	if f := &d.process.faults; f.lostCommitCount > 0 {
		f.lostCommitCount--
		return errCommitAnswerLost
	}
	return nil
}

// write carries out a call that writes.
func (d *faultyDatabase) write(ctx context.Context, call func() error) error {
	if err := d.beginCall(ctx); err != nil {
		return err
	}
	if err := call(); err != nil {
		return err
	}
	return d.endCall()
}

// Lead implements bridge.Leadership.
func (d *faultyDatabase) Lead(ctx context.Context, name, me string, ttl time.Duration) (int64, string, bool, error) {
	if err := d.beginCall(ctx); err != nil {
		return 0, "", false, err
	}
	epoch, holder, leads, err := d.process.store.Lead(ctx, name, me, ttl)
	if err == nil && leads {
		err = d.endCall()
	}
	return epoch, holder, leads, err
}

// Resign implements bridge.Leadership.
func (d *faultyDatabase) Resign(ctx context.Context, name, me string) error {
	return d.write(ctx, func() error { return d.process.store.Resign(ctx, name, me) })
}

// StoreIntents implements bridge.Journal.
func (d *faultyDatabase) StoreIntents(ctx context.Context, c *bridge.Cycle, intents []bridge.Intent) (out []bridge.Intent, err error) {
	err = d.write(ctx, func() (err error) {
		out, err = d.process.store.StoreIntents(ctx, c, intents)
		return err
	})
	return out, err
}

// UpdateIntent implements bridge.Journal.
func (d *faultyDatabase) UpdateIntent(ctx context.Context, in bridge.Intent) error {
	return d.write(ctx, func() error {
		err := d.process.store.UpdateIntent(ctx, in)
		if err == nil {
			d.process.freezeCountAtPermission = d.process.freezeCount
		}
		return err
	})
}

// Intents implements bridge.Journal.
func (d *faultyDatabase) Intents(ctx context.Context, name string, now, since time.Time) ([]bridge.Intent, error) {
	if err := d.beginCall(ctx); err != nil {
		return nil, err
	}
	return d.process.store.Intents(ctx, name, now, since)
}

// Clock implements bridge.History.
func (d *faultyDatabase) Clock(ctx context.Context) (time.Time, error) {
	return d.process.world.Now(), d.beginCall(ctx)
}

// NoteExpirerRun implements bridge.Watch.
func (d *faultyDatabase) NoteExpirerRun(ctx context.Context, name string) (leader string, alone time.Duration, err error) {
	err = d.write(ctx, func() (err error) {
		leader, alone, err = d.process.store.NoteExpirerRun(ctx, name)
		return err
	})
	return leader, alone, err
}

// TimeSinceExpirerRan implements bridge.ExpirerStatus.
func (d *faultyDatabase) TimeSinceExpirerRan(ctx context.Context, name string) (ago time.Duration, ok bool, err error) {
	if err := d.beginCall(ctx); err != nil {
		return 0, false, err
	}
	return d.process.store.TimeSinceExpirerRan(ctx, name)
}

// RecordView implements bridge.History.
func (d *faultyDatabase) RecordView(ctx context.Context, v *slurm.View) error {
	return d.write(ctx, func() error {
		err := d.process.store.RecordView(ctx, v)
		if err == nil {
			d.process.oracle.NoteUsageRecorded(&d.process.Daemon)
		}
		return err
	})
}

// Past implements bridge.History.
func (d *faultyDatabase) Past(ctx context.Context, name string, now time.Time) (*bridge.Past, error) {
	if err := d.beginCall(ctx); err != nil {
		return nil, err
	}
	return d.process.store.Past(ctx, name, now)
}

// Memo implements bridge.History.
func (d *faultyDatabase) Memo(ctx context.Context, name string, p *bridge.Partition) (bridge.Memo, error) {
	if err := d.beginCall(ctx); err != nil {
		return bridge.Memo{}, err
	}
	return d.process.store.Memo(ctx, name, p)
}
