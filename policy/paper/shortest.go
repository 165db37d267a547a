package paper

import (
	"cmp"
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
)

// lengths says how long jobs still run, and stands in for those of which
// nobody knows anything.
type lengths struct {
	unknown time.Duration // remaining time of a job without an estimate
	service bool          // times GPUs
}

// left returns the remaining time in seconds, or GPU-seconds by service.
func (l lengths) left(e *engine.Entry) float64 {
	d := e.Estimate.Left
	if e.Estimate.From == "" {
		d = l.unknown
	}
	if l.service {
		return float64(policy.Service(e.Ask.GPUs.Whole(), d))
	}
	return d.Seconds()
}

// key puts the job with least left in front.
func (l lengths) key() order.Key {
	return func(_ *engine.Round, a, b *engine.Entry) int {
		return cmp.Compare(l.left(a), l.left(b))
	}
}

// note tells the job's owner what it was judged by.
func (l lengths) note(e *engine.Entry) string {
	what, from := "left", "its "+e.Estimate.From
	if e.Estimate.From == "" {
		from = "what is usual here"
	}
	if l.service {
		return fmt.Sprintf("%v %s by %s", policy.GPUSeconds(l.left(e)), what, from)
	}
	return fmt.Sprintf("%v %s by %s", policy.Seconds(l.left(e)).Round(time.Second), what, from)
}

// byLength is a line by keys that notes every job's length.
type byLength struct {
	lengths
	keys order.By
}

// Order implements engine.Orderer.
func (b byLength) Order(r *engine.Round) ([]*engine.Entry, error) {
	if !r.Terse {
		for _, e := range r.Entries {
			e.Note = b.note(e)
		}
	}
	return append(b.keys, b.key()).Order(r)
}
