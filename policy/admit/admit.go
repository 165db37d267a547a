// Package admit says which pending jobs may enter. A refusal holds the job, and
// its error is what the owner reads.
package admit

import (
	"fmt"

	"fairbridge/policy/engine"
)

// All admits a job that every one of its Admitters admits; the first refusal
// counts.
type All []engine.Admitter

// Admit implements engine.Admitter.
func (all All) Admit(r *engine.Round, e *engine.Entry) error {
	for _, a := range all {
		if err := a.Admit(r, e); err != nil {
			return err
		}
	}
	return nil
}

// Func is an Admitter that is a function.
type Func func(*engine.Round, *engine.Entry) error

// Admit implements engine.Admitter.
func (f Func) Admit(r *engine.Round, e *engine.Entry) error { return f(r, e) }

// Quota refuses jobs that would take their account above its cap of whole GPUs
// held at one time.
type Quota struct {
	Caps    map[string]float64 // by account
	Default float64            // for accounts without a cap of their own; 0: no limit
}

// Admit implements engine.Admitter.
func (q Quota) Admit(r *engine.Round, e *engine.Entry) error {
	limit, listed := q.Caps[e.Account]
	if !listed && q.Default <= 0 {
		return nil
	}
	if !listed {
		limit = q.Default
	}
	holds, asks := r.Holds(e.Account), e.Ask.GPUs.Whole()
	if holds+asks <= limit {
		return nil
	}
	return fmt.Errorf("account %s holds %g of its %g GPUs, and the job asks %g more", e.Account, holds, limit, asks)
}
