package cycle

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
)

type policyFunc func(*policy.Snapshot) (*policy.Plan, error)

func (f policyFunc) Decide(s *policy.Snapshot) (*policy.Plan, error) { return f(s) }

func empty() *policy.Snapshot {
	return &policy.Snapshot{Seq: 7, Now: time.Unix(1_800_000_000, 0).UTC()}
}

func TestDecideGuards(t *testing.T) {
	tests := map[string]struct {
		decide policyFunc
		want   string
	}{
		"panic":   {func(*policy.Snapshot) (*policy.Plan, error) { panic("boom") }, "panic: boom"},
		"error":   {func(*policy.Snapshot) (*policy.Plan, error) { return nil, errors.New("no idea") }, "no idea"},
		"nothing": {func(*policy.Snapshot) (*policy.Plan, error) { return nil, nil }, "no plan and no error"},
		"unsound": {func(*policy.Snapshot) (*policy.Plan, error) {
			return &policy.Plan{Decisions: []policy.Decision{{Job: 1}}}, nil
		}, "not sound"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, limit := range []time.Duration{time.Hour, 0} { // beside the loop, and in place
				g := &Caller{Policy: tt.decide}
				_, _, err := g.Decide(context.Background(), empty(), limit, 0)
				if !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("limit %v: got %v, want a policy error saying %q", limit, err, tt.want)
				}
				if g.isRunning.Load() {
					t.Errorf("limit %v: the call has returned, and is thought to go on", limit)
				}
			}
		})
	}
}

// endless returns a policy that answers when it is told to, and how often it
// was called.
func endless() (p policyFunc, calls chan struct{}, answer func()) {
	calls, block := make(chan struct{}, 9), make(chan struct{})
	return func(*policy.Snapshot) (*policy.Plan, error) {
		calls <- struct{}{}
		<-block
		return nil, nil
	}, calls, func() { close(block) }
}

func TestDecideSwitchesOffAfterOverruns(t *testing.T) {
	endless, calls, answer := endless()
	g := &Caller{Policy: endless}
	ctx := context.Background()
	if _, _, err := g.Decide(ctx, empty(), time.Millisecond, 0); !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), "no plan within") {
		t.Fatalf("an overrun: %v", err)
	}
	<-calls
	if _, _, err := g.Decide(ctx, empty(), time.Hour, 1); !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), "has not returned") {
		t.Errorf("a second call beside the first: %v", err)
	}
	answer()
	if _, _, err := g.Decide(ctx, empty(), time.Hour, maxOverruns); !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), "switched off") {
		t.Errorf("after %d overruns: %v", maxOverruns, err)
	}
	if n := len(calls); n != 0 {
		t.Errorf("the policy was called %d times more, want once in all", n)
	}
}

// TestACycleThatEndsIsNoOverrun: a policy is not blamed for the time that polling took,
// nor for the end of the daemon.
func TestACycleThatEndsIsNoOverrun(t *testing.T) {
	endless, _, answer := endless()
	defer answer()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, overruns, err := (&Caller{Policy: endless}).Decide(ctx, empty(), time.Hour, 1)
	if overruns != 1 || !errors.Is(err, ErrPolicy) || !errors.Is(err, context.Canceled) {
		t.Errorf("%d overruns, want 1: %v", overruns, err)
	}
}
