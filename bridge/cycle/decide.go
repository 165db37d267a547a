package cycle

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"fairbridge/policy"
)

// ErrPolicy is the cause of every failure of a policy, so that it can be told
// from a failure of ours.
var ErrPolicy = errors.New("policy")

// maxOverruns is how often a policy may exceed its time before it is switched
// off until the daemon is restarted.
const maxOverruns = 3

// guarded runs a policy that may panic, err or never return. Nothing it does
// can stop the loop.
type guarded struct {
	policy   policy.Policy
	running  atomic.Bool // an overrun call cannot be stopped, only waited for
	overruns int
}

type verdict struct {
	plan *policy.Plan
	err  error
}

// decide asks the policy for a plan and checks it against the snapshot. The
// policy has until the context's end or for at most limit; 0: without limit.
func (g *guarded) decide(ctx context.Context, s *policy.Snapshot, limit time.Duration) (*policy.Plan, error) {
	if g.overruns >= maxOverruns {
		return nil, fmt.Errorf("%w: switched off after %d calls took longer than allowed; restart to try again", ErrPolicy, g.overruns)
	}
	if !g.running.CompareAndSwap(false, true) {
		return nil, fmt.Errorf("%w: the last call has not returned yet", ErrPolicy)
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	done := make(chan verdict, 1)
	go func() {
		v := shielded(g.policy, s)
		g.running.Store(false) // before the answer: the next call may come at once
		done <- v
	}()
	select {
	case v := <-done:
		return checked(v, s)
	case <-ctx.Done():
		g.overruns++
		return nil, fmt.Errorf("%w: no plan within %v (%d of %d overruns)", ErrPolicy, limit, g.overruns, maxOverruns)
	}
}

// shielded turns a panic into an error.
func shielded(p policy.Policy, s *policy.Snapshot) (v verdict) {
	defer func() {
		if r := recover(); r != nil {
			v = verdict{err: fmt.Errorf("%w: panic: %v", ErrPolicy, r)}
		}
	}()
	plan, err := p.Decide(s)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	return verdict{plan, err}
}

func checked(v verdict, s *policy.Snapshot) (*policy.Plan, error) {
	switch {
	case v.err != nil:
		return nil, v.err
	case v.plan == nil:
		return nil, fmt.Errorf("%w: no plan and no error", ErrPolicy)
	}
	if err := v.plan.Check(s); err != nil {
		return nil, fmt.Errorf("%w: the plan is not sound: %w", ErrPolicy, err)
	}
	return v.plan, nil
}
