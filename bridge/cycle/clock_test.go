package cycle_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fairbridge/accounting"
	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

// clocked is the rig's database, but leadership and signs of life last by
// Slurm's virtual clock.
type clocked struct {
	*accounting.DB
	now    func() time.Time
	holder string
	ends   time.Time // of the lease
	led    time.Time // a daemon did, last
	beat   time.Time // expire ran, last
	asks   int
}

func (r *rig) clocked() *clocked { return &clocked{DB: r.db, now: r.w.Now, led: r.w.Now()} }

func (c *clocked) Lead(ctx context.Context, cluster, me string, ttl time.Duration) (int64, string, bool, error) {
	if c.asks++; c.holder != me && c.now().Before(c.ends) {
		return 0, c.holder, false, nil
	}
	if !c.now().Before(c.ends) {
		if err := c.DB.Resign(ctx, cluster, c.holder); err != nil {
			return 0, "", false, err
		}
	}
	c.holder, c.ends = me, c.now().Add(ttl)
	if !strings.HasSuffix(me, push.ExpirySuffix) {
		c.led = c.ends
	}
	return c.DB.Lead(ctx, cluster, me, time.Hour)
}

func (c *clocked) Resign(ctx context.Context, cluster, me string) error {
	if c.holder == me {
		c.ends = c.now()
	}
	return c.DB.Resign(ctx, cluster, me)
}

func (c *clocked) Mark(ctx context.Context, in bridge.Intent) error {
	if in.State == bridge.Sent && c.now().After(c.ends) {
		return fmt.Errorf("marking intent %d: %w", in.ID, bridge.ErrFenced)
	}
	return c.DB.Mark(ctx, in)
}

func (c *clocked) Beat(context.Context, string) (string, time.Duration, error) {
	c.beat = c.now()
	if c.now().Before(c.ends) {
		return c.holder, 0, nil
	}
	return "", c.now().Sub(c.led), nil
}

func (c *clocked) LastExpiry(context.Context, string) (time.Duration, bool, error) {
	return c.now().Sub(c.beat), !c.beat.IsZero(), nil
}
