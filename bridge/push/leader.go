package push

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge"
)

// Leader is this daemon's place in the leader election. Its end is measured on
// our own monotonic clock, from before the lease was asked for.
type Leader struct {
	Cluster, Name string
	TTL           time.Duration
	Epoch         int64
	Until         time.Time
	Now           func() time.Time
}

// Acquire asks for leadership or renews it. held is false when another daemon
// leads, whose name is in holder.
func (s *Leader) Acquire(ctx context.Context, l bridge.Leadership) (holder string, held bool, err error) {
	asked := s.Now()
	epoch, holder, held, err := l.Lead(ctx, s.Cluster, s.Name, s.TTL)
	if err != nil {
		s.Until = time.Time{}
		return "", false, fmt.Errorf("asking for leadership: %w", err)
	}
	if held {
		s.Epoch, s.Until = epoch, asked.Add(s.TTL)
	} else {
		s.Until = time.Time{}
	}
	return holder, held, nil
}

// Renew makes sure the lease lasts for one more call, renewing it at half
// life. A changed epoch means that somebody else led in between.
func (s *Leader) Renew(ctx context.Context, l bridge.Leadership) error {
	left := s.Until.Sub(s.Now())
	if left > s.TTL/2 {
		return nil
	}
	epoch := s.Epoch
	holder, held, err := s.Acquire(ctx, l)
	switch {
	case err != nil && left > bridge.CallMargin:
		return nil // still ours; the next call asks again
	case err != nil:
		return err
	case !held:
		return fmt.Errorf("%s leads now", holder)
	case s.Epoch != epoch:
		return fmt.Errorf("leadership was lost and taken again (epoch %d, now %d)", epoch, s.Epoch)
	}
	return nil
}
