package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/chaos/event"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

// database is the store as a process reaches it.
type database struct{ p *proc }

var (
	errDown   = errors.New("dial tcp 127.0.0.1:5432: connection refused")
	errFenced = errors.New("another daemon leads")
	errCommit = errors.New("unexpected EOF while committing")
)

// enter is the beginning of every call.
func (d *database) enter(ctx context.Context) error {
	d.p.port()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("asking the database: %w", err)
	}
	if d.p.faults.is(event.NoDatabase, d.p.cycle) {
		return errDown
	}
	return nil
}

// leave is the end of a call that wrote: the commit may be done and not answered.
func (d *database) leave() error {
	d.p.port()
	if d.p.faults.take(event.CommitLost) {
		return errCommit
	}
	return nil
}

// Lead implements bridge.Leadership, by the clock of the database.
func (d *database) Lead(ctx context.Context, _, me string, ttl time.Duration) (int64, string, bool, error) {
	if err := d.enter(ctx); err != nil {
		return 0, "", false, err
	}
	s, now := d.p.store, d.p.w.Now()
	alive := now.Before(s.lead.until)
	if alive && s.lead.holder != me {
		return s.lead.epoch, s.lead.holder, false, nil
	}
	if !alive || s.lead.holder != me {
		s.lead.epoch++
	}
	s.lead.holder, s.lead.until = me, now.Add(ttl)
	return s.lead.epoch, me, true, d.leave()
}

// Resign implements bridge.Leadership.
func (d *database) Resign(ctx context.Context, _, me string) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	if d.p.store.lead.holder == me {
		d.p.store.lead.until = minTime(d.p.store.lead.until, d.p.w.Now())
	}
	return d.leave()
}

// Intend implements bridge.Journal.
func (d *database) Intend(ctx context.Context, c *bridge.Cycle, intents []bridge.Intent) ([]bridge.Intent, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	epoch := d.p.store.lead.epoch
	if c != nil {
		epoch = c.Epoch
	} else if len(intents) > 0 {
		epoch = intents[0].Epoch
	}
	if !d.p.store.leads(epoch) {
		return nil, errFenced
	}
	out, err := d.p.store.Intend(ctx, c, intents)
	if err != nil {
		return nil, err
	}
	if err := d.leave(); err != nil {
		return nil, err
	}
	return out, nil
}

// Mark implements bridge.Journal. SENT is the leave to send.
func (d *database) Mark(ctx context.Context, in bridge.Intent) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	if in.State == bridge.Sent && !d.p.store.leads(in.Epoch) {
		return errFenced
	}
	if err := d.p.store.Mark(ctx, in); err != nil {
		return err
	}
	d.p.leave = d.p.thaws
	return d.leave()
}

// Intents implements bridge.Journal. Nothing is forgotten by a clock that is
// ahead.
func (d *database) Intents(ctx context.Context, name string, now, since time.Time) ([]bridge.Intent, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	kept := minTime(since, d.p.w.Now().Add(-30*time.Hour))
	all, err := d.p.store.Intents(ctx, name, now, kept)
	out := slices.Clone(all)
	return slices.DeleteFunc(out, func(in bridge.Intent) bool { return !in.Closed.IsZero() && !in.Closed.After(since) }), err
}

// Clock implements bridge.History.
func (d *database) Clock(ctx context.Context) (time.Time, error) {
	return d.p.w.Now(), d.enter(ctx)
}

// Beat implements bridge.Watch.
func (d *database) Beat(ctx context.Context, _ string) (leader string, alone time.Duration, err error) {
	if err := d.enter(ctx); err != nil {
		return "", 0, err
	}
	s, now := d.p.store, d.p.w.Now()
	s.beat = now
	if !strings.HasSuffix(s.lead.holder, push.ExpirySuffix) {
		s.led = latest(s.led, minTime(s.lead.until, now))
	}
	if now.Before(s.lead.until) {
		leader = s.lead.holder
	}
	return leader, now.Sub(s.led), d.leave()
}

// LastExpiry implements bridge.Expiry.
func (d *database) LastExpiry(ctx context.Context, _ string) (ago time.Duration, ok bool, err error) {
	if err := d.enter(ctx); err != nil {
		return 0, false, err
	}
	beat := d.p.store.beat
	return d.p.w.Now().Sub(beat), !beat.IsZero(), nil
}

// Record implements bridge.History.
func (d *database) Record(ctx context.Context, v *slurm.View) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	if err := d.p.store.Record(ctx, v); err != nil {
		return err
	}
	d.p.oracle.Recorded(&d.p.Daemon)
	return d.leave()
}

// Past implements bridge.History.
func (d *database) Past(ctx context.Context, name string, now time.Time) (*bridge.Past, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	return d.p.store.Past(ctx, name, now)
}

// Memo implements bridge.History.
func (d *database) Memo(ctx context.Context, name, partition string) (bridge.Memo, error) {
	if err := d.enter(ctx); err != nil {
		return bridge.Memo{}, err
	}
	return d.p.store.Memo(ctx, name, partition)
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
