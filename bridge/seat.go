package bridge

import (
	"context"
	"fmt"
	"time"
)

// margin is how long before the end of the leadership lease a call must begin,
// so that it is over before another daemon may act.
const margin = 5 * time.Second

// seat is this daemon's place in the leader election. Its end is measured on
// our own monotonic clock, from before the lease was asked for.
type seat struct {
	cluster, me string
	ttl         time.Duration
	epoch       int64
	until       time.Time
	clock       func() time.Time
}

// take asks for leadership or renews it. held is false when another daemon
// leads, whose name is in holder.
func (s *seat) take(ctx context.Context, l Leadership) (holder string, held bool, err error) {
	asked := s.clock()
	epoch, holder, held, err := l.Lead(ctx, s.cluster, s.me, s.ttl)
	if err != nil {
		s.until = time.Time{}
		return "", false, fmt.Errorf("asking for leadership: %w", err)
	}
	if held {
		s.epoch, s.until = epoch, asked.Add(s.ttl)
	} else {
		s.until = time.Time{}
	}
	return holder, held, nil
}

// secure makes sure the lease lasts for one more call, renewing it at half
// life. A changed epoch means that somebody else led in between.
func (s *seat) secure(ctx context.Context, l Leadership) error {
	left := s.until.Sub(s.clock())
	if left > s.ttl/2 {
		return nil
	}
	epoch := s.epoch
	holder, held, err := s.take(ctx, l)
	switch {
	case err != nil && left > margin:
		return nil // still ours; the next call asks again
	case err != nil:
		return err
	case !held:
		return fmt.Errorf("%s leads now", holder)
	case s.epoch != epoch:
		return fmt.Errorf("leadership was lost and taken again (epoch %d, now %d)", epoch, s.epoch)
	}
	return nil
}
