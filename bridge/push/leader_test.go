package push

import (
	"context"
	"errors"
	"testing"
	"time"
)

type election struct {
	epoch int64
	held  bool
	err   error
	asked int
	slow  func() // happens before the answer; nil: it comes at once
}

func (e *election) Lead(context.Context, string, string, time.Duration) (int64, string, bool, error) {
	e.asked++
	if e.slow != nil {
		e.slow()
	}
	return e.epoch, "other:1", e.held, e.err
}

func (e *election) Resign(context.Context, string, string) error { return nil }

func TestSeat(t *testing.T) {
	now := time.Unix(0, 0)
	e := &election{epoch: 3, held: true}
	s := LeaderLease{TTL: 60 * time.Second, Now: func() time.Time { return now }}
	ctx := context.Background()
	if _, held, err := s.Acquire(ctx, e); !held || err != nil {
		t.Fatalf("take: %v %v", held, err)
	}
	now = now.Add(20 * time.Second)
	if err := s.Renew(ctx, e); err != nil || e.asked != 1 {
		t.Errorf("with 40 s left: %v, asked %d times", err, e.asked)
	}
	now = now.Add(20 * time.Second)
	if err := s.Renew(ctx, e); err != nil || e.asked != 2 {
		t.Errorf("past half life: %v, asked %d times", err, e.asked)
	}
	now = now.Add(58 * time.Second)
	e.err = errors.New("database down")
	if err := s.Renew(ctx, e); err == nil {
		t.Error("2 s before the end, without the database: still secure")
	}
	e.err = nil
	e.epoch = 5
	if err := s.Renew(ctx, e); err == nil {
		t.Error("a new epoch passes unnoticed")
	}
	e.held = false
	now = now.Add(time.Minute)
	if err := s.Renew(ctx, e); err == nil {
		t.Error("another leader passes unnoticed")
	}
}

// TestLeaseCountsFromBeforeAsking: the database may have granted the lease just
// when it was asked, however late its answer is.
func TestLeaseCountsFromBeforeAsking(t *testing.T) {
	now := time.Unix(0, 0)
	e := &election{epoch: 3, held: true, slow: func() { now = now.Add(50 * time.Second) }}
	s := LeaderLease{TTL: 60 * time.Second, Now: func() time.Time { return now }}
	if _, held, err := s.Acquire(t.Context(), e); !held || err != nil {
		t.Fatalf("take: %v %v", held, err)
	}
	if left := s.LeadsUntil.Sub(now); left != 10*time.Second {
		t.Errorf("%v left of a lease of a minute whose answer took 50 s", left)
	}
}
