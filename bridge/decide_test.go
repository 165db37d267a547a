package bridge

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
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
		"overlong": {func(*policy.Snapshot) (*policy.Plan, error) { time.Sleep(time.Second); return nil, nil }, "no plan within"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g := &guarded{policy: tt.decide}
			_, err := g.decide(context.Background(), empty(), 50*time.Millisecond)
			if !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a policy error saying %q", err, tt.want)
			}
		})
	}
}

func TestDecideSwitchesOffAfterOverruns(t *testing.T) {
	block := make(chan struct{})
	var calls atomic.Int32
	g := &guarded{policy: policyFunc(func(*policy.Snapshot) (*policy.Plan, error) {
		calls.Add(1)
		<-block
		return nil, nil
	})}
	ctx := context.Background()
	if _, err := g.decide(ctx, empty(), time.Millisecond); err == nil {
		t.Fatal("an overrun is no error")
	}
	if _, err := g.decide(ctx, empty(), time.Millisecond); !strings.Contains(err.Error(), "has not returned") {
		t.Errorf("a second call beside the first: %v", err)
	}
	g.overruns = maxOverruns
	close(block)
	if _, err := g.decide(ctx, empty(), time.Millisecond); !strings.Contains(err.Error(), "switched off") {
		t.Errorf("after %d overruns: %v", maxOverruns, err)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("the policy was called %d times, want once", n)
	}
}
