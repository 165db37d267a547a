package gandivafair

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy/engine"
)

// lines are the queues of all accounts on all types, a heap by whose turn it is.
type lines struct {
	*engine.Round
	list []*queue
	left []int // GPUs to be granted, by type
	idle []int // of them, that nobody holds
}

// queue is the jobs of an account that could run on a type: those that wait or
// run there, and apart those that run on other types. The least served is first.
type queue struct {
	typ   int
	far   bool
	share *accountShare
	rows  []int
	next  int
}

// accountShare is what an account's two queues on a type have in common.
type accountShare struct {
	pass float64
	each float64 // what a GPU adds to the pass until the next round
}

func (q *queue) grant(gpus float64) { q.share.pass += gpus * q.share.each }

// lines puts the jobs that compete for GPUs into their queues.
func (s *stride) lines(r *engine.Round) *lines {
	w := len(s.now.Types)
	l := &lines{Round: r, left: make([]int, w), idle: make([]int, w)}
	for k, t := range s.now.Types {
		l.left[k] = r.Free.TotalFree(t)
		l.idle[k] = l.left[k]
	}
	queues := s.queues()
	for i, e := range r.Entries {
		for _, slot := range e.On {
			k := slices.Index(s.now.Types, slot.Type)
			switch {
			case k < 0:
			case e.Stays:
				queues[s.now.Account[i]*w+k][0].grant(float64(slot.Count))
			default:
				l.left[k] += slot.Count
			}
		}
		for k := range w {
			if e.Want > 0 && !e.Stays && s.runs[i*w+k] {
				far := 0
				if len(e.On) > 0 && e.On.Type() != s.now.Types[k] {
					far = 1
				}
				q := queues[s.now.Account[i]*w+k][far]
				q.rows = append(q.rows, i)
			}
		}
	}
	for _, pair := range queues {
		for _, q := range pair {
			if len(q.rows) > 0 {
				slices.SortFunc(q.rows, func(a, b int) int { return s.turns(r, a, b) })
				l.list = append(l.list, q)
			}
		}
	}
	return l
}

// queues makes two queues for every account and type.
func (s *stride) queues() [][2]*queue {
	w := len(s.now.Types)
	all := make([][2]*queue, len(s.now.Pass))
	quantum := s.quantum()
	for i, pass := range s.now.Pass {
		share := &accountShare{pass: math.Inf(1)} // without tickets it gets what is left
		if t := s.now.Tickets[i]; t > 0 {
			share.pass, share.each = pass, quantum/t
		}
		all[i] = [2]*queue{{typ: i % w, share: share}, {typ: i % w, share: share, far: true}}
	}
	return all
}

// compare says whose turn it is: the smaller pass, then the wider job, then
// where the job runs or where most GPUs idle.
func (l *lines) compare(a, b *queue) int {
	if a.far != b.far {
		if a.far {
			return 1
		}
		return -1
	}
	x, y := l.Entries[a.rows[a.next]], l.Entries[b.rows[b.next]]
	if c := cmp.Or(cmp.Compare(a.share.pass, b.share.pass), cmp.Compare(y.Ask.GPUs.Count, x.Ask.GPUs.Count), cmp.Compare(x.ID, y.ID)); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(l.idle[b.typ], l.idle[a.typ]), cmp.Compare(a.typ, b.typ))
}

// Len implements heap.Interface.
func (l *lines) Len() int { return len(l.list) }

// Less implements heap.Interface.
func (l *lines) Less(i, j int) bool { return l.compare(l.list[i], l.list[j]) < 0 }

// Swap implements heap.Interface.
func (l *lines) Swap(i, j int) { l.list[i], l.list[j] = l.list[j], l.list[i] }

// Push implements heap.Interface.
func (l *lines) Push(x any) { l.list = append(l.list, x.(*queue)) }

// Pop implements heap.Interface.
func (l *lines) Pop() any {
	last := len(l.list) - 1
	q := l.list[last]
	l.list = l.list[:last]
	return q
}
