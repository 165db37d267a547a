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

// Caller calls a policy that may panic, err or never return. Nothing it does can
// stop the loop.
type Caller struct {
	Policy    policy.Policy
	isRunning atomic.Bool // an overrun call cannot be stopped, only waited for
}

type policyAnswer struct {
	plan *policy.Plan
	err  error
}

// Decide asks the policy for a plan and checks it against the snapshot. The
// policy has until the context's end and for at most limit; 0: without limit. The
// overruns are how often it took longer than the limit, before and after: a cycle
// that ends earlier for another reason is none.
func (g *Caller) Decide(ctx context.Context, s *policy.Snapshot, limit time.Duration, overruns int) (*policy.Plan, int, error) {
	if overruns >= maxOverruns {
		return nil, overruns, fmt.Errorf("%w: switched off after %d calls took longer than allowed; restart to try again", ErrPolicy, overruns)
	}
	if !g.isRunning.CompareAndSwap(false, true) {
		return nil, overruns, fmt.Errorf("%w: the last call has not returned yet", ErrPolicy)
	}
	over := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		over, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if over.Done() == nil { // nothing can end the call but its answer
		plan, err := checkAnswer(g.answer(s), s)
		return plan, overruns, err
	}
	done := make(chan policyAnswer, 1)
	go func() { done <- g.answer(s) }()
	select {
	case a := <-done:
		plan, err := checkAnswer(a, s)
		return plan, overruns, err
	case <-over.Done():
		if err := ctx.Err(); err != nil {
			return nil, overruns, fmt.Errorf("%w: the cycle ended before there was a plan: %w", ErrPolicy, err)
		}
		overruns++
		return nil, overruns, fmt.Errorf("%w: no plan within %v (%d of %d overruns)", ErrPolicy, limit, overruns, maxOverruns)
	}
}

// answer calls the policy.
func (g *Caller) answer(s *policy.Snapshot) policyAnswer {
	defer g.isRunning.Store(false) // before the answer: the next call may come at once
	return decideWithoutPanic(g.Policy, s)
}

// decideWithoutPanic turns a panic into an error.
func decideWithoutPanic(p policy.Policy, s *policy.Snapshot) (a policyAnswer) {
	defer func() {
		if r := recover(); r != nil {
			a = policyAnswer{err: fmt.Errorf("%w: panic: %v", ErrPolicy, r)}
		}
	}()
	plan, err := p.Decide(s)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	return policyAnswer{plan, err}
}

func checkAnswer(a policyAnswer, s *policy.Snapshot) (*policy.Plan, error) {
	switch {
	case a.err != nil:
		return nil, a.err
	case a.plan == nil:
		return nil, fmt.Errorf("%w: no plan and no error", ErrPolicy)
	}
	if err := a.plan.Check(s); err != nil {
		return nil, fmt.Errorf("%w: the plan is not sound: %w", ErrPolicy, err)
	}
	return a.plan, nil
}
