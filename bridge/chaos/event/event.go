package event

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Event is one thing that goes wrong, or that a person does, in a cycle.
type Event struct {
	Cycle      int
	Kind       Kind
	RandomSeed uint64 // its part of chance: which job, which moment, how long
}

// String prints "12 freeze 9f31c2".
func (e Event) String() string { return fmt.Sprintf("%d %s %x", e.Cycle, e.Kind, e.RandomSeed) }

// NewRand returns the event's own source of chance.
func (e Event) NewRand() *rand.Rand { return rand.New(rand.NewPCG(e.RandomSeed, 0xc4a05)) }

// DrawEvents returns what happens in the cycles of a seed. Each seed switches a part of
// the kinds on, so that some runs see few kinds often. Submissions always happen.
func DrawEvents(seed uint64, cycles int) []Event {
	r := rand.New(rand.NewPCG(seed, 1))
	var on []kindFrequency
	for _, k := range kindFrequencies {
		if r.IntN(100) < 45 || k.kind == SubmitJob {
			on = append(on, k)
		}
	}
	var out []Event
	for range 8 {
		out = append(out, Event{0, SubmitJob, r.Uint64()})
	}
	for c := range cycles {
		for _, k := range on {
			if r.IntN(1000) < k.permillePerCycle {
				out = append(out, Event{c, k.kind, r.Uint64()})
			}
		}
	}
	return out
}

// adminCommentPermille is how often somebody writes an admin_comment in a cycle, of a thousand.
const adminCommentPermille = 150

// WithAdminComments adds that administrators write into jobs' admin_comment. It is drawn by itself, so that all
// else of a seed stays as it was.
func WithAdminComments(events []Event, seed uint64, cycles int) []Event {
	r := rand.New(rand.NewPCG(seed, 3))
	for c := range cycles {
		if r.IntN(1000) < adminCommentPermille {
			events = append(events, Event{c, AdminComments, r.Uint64()})
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return a.Cycle - b.Cycle })
	return events
}

// FormatEvents lists events, one a line.
func FormatEvents(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintln(&b, " ", e)
	}
	return b.String()
}
