package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/sim/memory"
	"fairbridge/bridge/slurm"
)

// store is the database: a ledger and a history in memory, and a leader row with an
// epoch that fences, as package accounting's does. It is backed up now and then.
type store struct {
	*memory.Store
	t       *trial
	lead    row
	beat    time.Time // when the timer last ran
	led     time.Time // when a daemon last led, as the timer knows
	backups []backup
}

// row is the leader's.
type row struct {
	holder string
	epoch  int64
	until  time.Time
}

type backup struct {
	at    time.Time
	store *memory.Store
	lead  row
}

// ever is a half-life so long that recorded usage is all that ever was used.
const ever = 1_000_000 * time.Hour

func newStore(t *trial) *store {
	return &store{Store: memory.New(t.w.Now, nil, ever), t: t, led: t.w.Now()}
}

// backUp keeps a copy; the last dozen are kept.
func (s *store) backUp() {
	s.backups = append(s.backups, backup{s.t.w.Now(), s.Clone(), s.lead})
	if len(s.backups) > 12 {
		s.backups = s.backups[1:]
	}
}

// restore puts an older copy in place and returns when it was made.
func (s *store) restore(back int) time.Time {
	if len(s.backups) == 0 {
		return s.t.w.Now()
	}
	b := s.backups[max(0, len(s.backups)-1-back)]
	s.Store, s.lead = b.store.Clone(), b.lead
	s.backups = nil
	return b.at
}

// leads reports whether the epoch may write.
func (s *store) leads(epoch int64) bool {
	return s.t.Unfenced || s.lead.epoch == epoch && s.t.w.Now().Before(s.lead.until)
}

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
	if d.p.weather.is(NoDatabase, d.p.cycle) {
		return errDown
	}
	return nil
}

// leave is the end of a call that wrote: the commit may be done and not answered.
func (d *database) leave() error {
	d.p.port()
	if d.p.weather.take(CommitLost) {
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
	d.p.oracle.recorded(d.p)
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
