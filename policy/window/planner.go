package window

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
)

// Planner is a engine.Orderer that puts those who run in this round of the
// window first, and the engine.Leaser that goes with it. One is made for each
// decision.
type Planner struct {
	*Settings
	Last *Plan // what was Next in the decision before; nil: none
	Next *Plan // once there is a line
}

// Order implements engine.Orderer: jobs planned for the round, wide gangs
// first, then the others, who get what would idle, the longest rest first;
// jobs that cannot start come last.
func (p *Planner) Order(r *engine.Round) ([]*engine.Entry, error) {
	line, rest := make([]*engine.Entry, 0, len(r.Entries)), []*engine.Entry(nil)
	for _, e := range r.Entries {
		if competes(r, e) {
			line = append(line, e)
		} else {
			rest = append(rest, e)
		}
	}
	p.Next = p.plan(r, line)
	round := p.rounds(p.Next.Made, r.Now)
	turns := make([]turn, len(line))
	for i, e := range line {
		turns[i] = p.Next.Jobs[i].turn(e, round)
	}
	slices.SortFunc(turns, turn.compare)
	for i, t := range turns {
		line[i] = t.Entry
		if !r.Terse {
			t.Note = t.note(p.Window)
		}
	}
	slices.SortFunc(rest, engine.ByArrival)
	return append(line, rest...), nil
}

// Lease implements engine.Leaser: down the line, on the types that the window
// was planned for; what is left of other types goes to whoever takes any.
func (p *Planner) Lease(r *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	left, grants := grant.NewCounts(r), make([]engine.Grant, len(line))
	for i, e := range line {
		s := p.Next.share(e.ID)
		if s == nil || s.Type == "" || !grant.Wants(r, e) {
			continue
		}
		if grants[i].Run = left.Take(s.Type, e.Want); grants[i].Run && e.Ask.GPUs.Type == "" && prefers(e) {
			grants[i].Type = s.Type
		}
	}
	for i, e := range line {
		if !grants[i].Run && grant.Wants(r, e) {
			grants[i].Run = left.Take(e.Ask.GPUs.Type, e.Want)
		}
	}
	return grants, nil
}

func byID(a, b *engine.Entry) int { return cmp.Compare(a.ID, b.ID) }

// competes reports whether the window has rounds for the job.
func competes(r *engine.Round, e *engine.Entry) bool {
	return r.Startable(e) && e.Fixed == "" && e.State != policy.Suspended
}

// turn is a job in a round of the window.
type turn struct {
	*engine.Entry
	planned bool
	first   int // round it is next planned for, from this one; -1: none
	*Share
}

func (t turn) compare(o turn) int {
	switch {
	case t.planned != o.planned:
		if t.planned {
			return -1
		}
		return 1
	case t.planned:
		return cmp.Or(cmp.Compare(o.Size(), t.Size()), byID(t.Entry, o.Entry))
	}
	return cmp.Or(cmp.Compare(o.Left, t.Left), byID(t.Entry, o.Entry))
}

func (t turn) note(window int) string {
	switch {
	case t.planned:
		return fmt.Sprintf("planned for this round, with a weight of %.3g", t.Weight)
	case t.first > 0:
		return fmt.Sprintf("planned in %d rounds, with a weight of %.3g", t.first, t.Weight)
	}
	return fmt.Sprintf("not planned in this window of %d rounds, with a weight of %.3g", window, t.Weight)
}

// prefers reports whether the job knows how fast it is on several types. One
// that does not may run on any.
func prefers(e *engine.Entry) bool { return e.Training != nil && len(e.Training.Rates) > 1 }
