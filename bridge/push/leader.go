package push

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge"
)

// LeaderLease is this daemon's place in the leader election. Its end is measured on
// our own monotonic clock, from before the lease was asked for.
type LeaderLease struct {
	ClusterName, HolderName string
	TTL                     time.Duration
	Epoch                   int64
	LeadsUntil              time.Time
	Now                     func() time.Time
}

// Acquire asks for leadership or renews it. leads is false when another daemon
// leads, whose name is in holder.
func (l *LeaderLease) Acquire(ctx context.Context, election bridge.Leadership) (holder string, leads bool, err error) {
	asked := l.Now()
	epoch, holder, leads, err := election.Lead(ctx, l.ClusterName, l.HolderName, l.TTL)
	if err != nil {
		l.LeadsUntil = time.Time{}
		return "", false, fmt.Errorf("asking for leadership: %w", err)
	}
	if leads {
		l.Epoch, l.LeadsUntil = epoch, asked.Add(l.TTL)
	} else {
		l.LeadsUntil = time.Time{}
	}
	return holder, leads, nil
}

// Renew makes sure the lease lasts for one more call, renewing it at half
// life. A changed epoch means that another daemon led in between.
func (l *LeaderLease) Renew(ctx context.Context, election bridge.Leadership) error {
	left := l.LeadsUntil.Sub(l.Now())
	if left > l.TTL/2 {
		return nil
	}
	epoch := l.Epoch
	holder, leads, err := l.Acquire(ctx, election)
	switch {
	case err != nil && left > bridge.LeadershipMargin:
		return nil // still ours; the next call asks again
	case err != nil:
		return err
	case !leads:
		return fmt.Errorf("%s leads now", holder)
	case l.Epoch != epoch:
		return fmt.Errorf("leadership was lost and taken again (epoch %d, now %d)", epoch, l.Epoch)
	}
	return nil
}

// Resign gives leadership back, also when the time of the caller is over.
func (l *LeaderLease) Resign(ctx context.Context, election bridge.Leadership) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := election.Resign(ctx, l.ClusterName, l.HolderName); err != nil {
		return fmt.Errorf("giving leadership back (it runs out by itself in %v): %w", l.TTL, err)
	}
	return nil
}
