package gandivafair

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/rounds"
)

// stride orders the jobs of one round by the passes of their accounts, and
// grants them the GPUs of each type.
type stride struct {
	*Policy
	past *passes
	now  *passes
	runs []bool // jobs by types: it could run there
}

// Order implements engine.Orderer: by the smallest pass of the account on any
// type the job can run on, then by what the job received.
func (s *stride) Order(r *engine.Round) ([]*engine.Entry, error) {
	types := r.Types()
	s.now = s.past.next(r, types)
	s.could(r)
	s.now.level(s.waits(r))
	tickets := s.tickets(r)
	s.now.exchange(tickets, s.turn(r, tickets))
	pass := make([]float64, len(r.Entries))
	rows := make([]int, len(r.Entries))
	for i, e := range r.Entries {
		k := s.best(i)
		rows[i], pass[i] = i, math.Inf(1)
		if k < 0 {
			continue
		}
		pass[i] = s.pass(i, k)
		if !r.Terse && !math.IsInf(pass[i], 1) {
			e.Note = fmt.Sprintf("its account has received %.2f GPU-hours a ticket on %s more than the last who waits", pass[i]/3600, types[k])
		}
	}
	slices.SortFunc(rows, func(a, b int) int {
		return cmp.Or(cmp.Compare(pass[a], pass[b]), s.turns(r, a, b))
	})
	line := make([]*engine.Entry, len(rows))
	for i, row := range rows {
		line[i] = r.Entries[row]
	}
	return line, nil
}

// could finds out who could run where.
func (s *stride) could(r *engine.Round) {
	w := len(s.now.Types)
	s.runs = make([]bool, len(r.Entries)*w)
	for i, e := range r.Entries {
		for k, t := range s.now.Types {
			s.runs[i*w+k] = r.Startable(e) && rounds.RunsOn(r, e, t)
		}
	}
}

// waits says of each account and type whether a job waits that could run there.
func (s *stride) waits(r *engine.Round) []bool {
	w := len(s.now.Types)
	waits := make([]bool, len(s.now.Pass))
	for i, e := range r.Entries {
		for k := range w {
			if s.runs[i*w+k] && !e.Active() {
				waits[s.now.Account[i]*w+k] = true
			}
		}
	}
	return waits
}

// quantum is how long a lease lasts, in seconds, for all we know.
func (s *stride) quantum() float64 {
	q := max(s.MinRun.Seconds(), 1)
	if !s.past.At.IsZero() {
		q = max(q, s.now.At.Sub(s.past.At).Seconds())
	}
	return q
}

// turn is by how much a pass grows by one turn of the job to which it costs
// most, by type.
func (s *stride) turn(r *engine.Round, tickets []float64) []float64 {
	w := len(s.now.Types)
	most := make([]float64, w)
	for i, e := range r.Entries {
		for k := range w {
			if t := tickets[s.now.Account[i]*w+k]; s.runs[i*w+k] && t > 0 {
				most[k] = max(most[k], float64(e.Ask.GPUs.Count)*s.quantum()/t)
			}
		}
	}
	return most
}

// pass is that of the job's account on a type; +Inf where it has no tickets.
func (s *stride) pass(row, k int) float64 {
	i := s.now.Account[row]*len(s.now.Types) + k
	if s.now.Tickets[i] <= 0 {
		return math.Inf(1)
	}
	return s.now.Pass[i]
}

// best is the type with the smallest pass among those the job can run on; -1:
// none.
func (s *stride) best(row int) int {
	w, best := len(s.now.Types), -1
	for k := range w {
		if s.runs[row*w+k] && (best < 0 || s.pass(row, k) < s.pass(row, best)) {
			best = k
		}
	}
	return best
}

// turns compares two jobs: the one that received less, then the wider.
func (s *stride) turns(r *engine.Round, a, b int) int {
	x, y := r.Entries[a], r.Entries[b]
	return cmp.Or(cmp.Compare(s.now.Turn[a], s.now.Turn[b]), cmp.Compare(y.Ask.GPUs.Count, x.Ask.GPUs.Count), cmp.Compare(x.ID, y.ID))
}

// Lease implements engine.Leaser. The account with the smallest pass on a type
// is served next, and its pass grows by what its job will receive; a gang that
// does not fit waits until its account is first. Jobs that run on another type
// come last: they have their turn there.
func (s *stride) Lease(r *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	l := s.lines(r)
	got := make([]engine.Grant, len(r.Entries))
	for heap.Init(l); l.Len() > 0; heap.Fix(l, 0) {
		q := l.list[0]
		row := q.rows[q.next]
		e := r.Entries[row]
		if !got[row].Run && e.Want <= l.left[q.typ] {
			l.left[q.typ] -= e.Want
			got[row] = engine.Grant{Run: true, Type: s.now.Types[q.typ]}
			q.grant(float64(e.Want))
		}
		if q.next++; q.next == len(q.rows) {
			heap.Pop(l)
			if l.Len() == 0 {
				break
			}
		}
	}
	grants := make([]engine.Grant, len(line))
	for i, e := range line {
		row, _ := slices.BinarySearch(s.now.Jobs, e.ID)
		grants[i] = got[row]
	}
	return grants, nil
}
