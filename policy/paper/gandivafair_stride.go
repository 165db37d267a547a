package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/rounds"
)

// stride orders the jobs of one round by pass and grants them the GPUs of each
// type in this order.
type stride struct {
	*GandivaFair
	past *passes
	now  *passes
	line []claim
}

// claim is a job that could run on a type.
type claim struct {
	*policy.Entry
	row, typ int
	pass     float64
	spare    int // among types of equal pass: where it runs first, then where most GPUs idle
}

// Order implements policy.Orderer: by the smallest pass on any type the job
// can run on.
func (s *stride) Order(r *policy.Round) ([]*policy.Entry, error) {
	types := rounds.Types(r.Snapshot)
	s.now = s.past.next(r, types)
	s.tickets(r)
	s.line = s.claims(r)
	seen := make([]bool, len(r.Entries))
	line := make([]*policy.Entry, 0, len(r.Entries))
	for _, c := range s.line {
		if !seen[c.row] {
			seen[c.row] = true
			if !r.Terse {
				c.Note = fmt.Sprintf("it has received %.2f GPU-hours a ticket on %s", c.pass/3600, types[c.typ])
			}
			line = append(line, c.Entry)
		}
	}
	for i, e := range r.Entries {
		if !seen[i] {
			line = append(line, e)
		}
	}
	return line, nil
}

// claims lists who could run where, the smallest pass first, then the widest.
func (s *stride) claims(r *policy.Round) []claim {
	w := len(s.now.Types)
	idle := make([]int, w)
	for k, t := range s.now.Types {
		idle[k] = r.Free.Total(t)
	}
	list := make([]claim, 0, len(r.Entries))
	for i, e := range r.Entries {
		for k, t := range s.now.Types {
			if !r.Startable(e) || !rounds.RunsOn(r, e, t) {
				continue
			}
			c := claim{e, i, k, s.now.Pass[i*w+k], idle[k]}
			if len(e.On) > 0 && e.On[0].Type == t {
				c.spare = math.MaxInt
			}
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.pass, b.pass), cmp.Compare(b.Ask.GPUs.Count, a.Ask.GPUs.Count),
			cmp.Compare(a.ID, b.ID), cmp.Compare(b.spare, a.spare), cmp.Compare(a.typ, b.typ))
	})
	return list
}

// Lease implements policy.Leaser: type by type in order of pass; a gang that
// does not fit keeps its small pass and so soon comes first.
func (s *stride) Lease(r *policy.Round, line []*policy.Entry) ([]policy.Grant, error) {
	left := make([]int, len(s.now.Types))
	for k, t := range s.now.Types {
		left[k] = r.Free.Total(t)
	}
	for _, e := range r.Active() {
		for _, slot := range e.On {
			if k := slices.Index(s.now.Types, slot.Type); k >= 0 && !e.Stays {
				left[k] += slot.Count
			}
		}
	}
	got := make([]policy.Grant, len(r.Entries))
	for _, c := range s.line {
		if n := c.Want; n > 0 && !c.Stays && !got[c.row].Run && n <= left[c.typ] {
			left[c.typ] -= n
			got[c.row] = policy.Grant{Run: true, Type: s.now.Types[c.typ]}
		}
	}
	grants := make([]policy.Grant, len(line))
	for i, e := range line {
		row, _ := slices.BinarySearch(s.now.Jobs, e.ID)
		grants[i] = got[row]
	}
	return grants, nil
}
