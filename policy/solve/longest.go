package solve

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// Piece is a part of a larger piece of work: how long it takes and how many
// machines at once.
type Piece struct {
	Time  float64
	Width int
}

// LongestFirst schedules pieces on like machines, the longest first, each as
// early as it can, and returns when each ends. Read backwards from the last end
// it says how late each piece may start, if never more machines are used:
// last - end. Pieces wider than the machines count as if they fitted.
func LongestFirst(pieces []Piece, machines int) (ends []float64, last float64) {
	order, wide := make([]int, len(pieces)), 0
	for i, p := range pieces {
		order[i] = i
		wide += max(p.Width, 1)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(pieces[b].Time, pieces[a].Time), cmp.Compare(a, b))
	})
	free := make(moments, max(min(machines, wide), 1))
	ends = make([]float64, len(pieces))
	var taken []float64
	for _, i := range order {
		taken = taken[:0]
		for range min(max(pieces[i].Width, 1), len(free)) {
			taken = append(taken, heap.Pop(&free).(float64))
		}
		ends[i] = slices.Max(taken) + math.Max(pieces[i].Time, 0)
		for range taken {
			heap.Push(&free, ends[i])
		}
		last = max(last, ends[i])
	}
	return ends, last
}

// moments is a heap of times.
type moments []float64

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i] < m[j] }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }

// Push implements heap.Interface.
func (m *moments) Push(x any) { *m = append(*m, x.(float64)) }

// Pop implements heap.Interface.
func (m *moments) Pop() any {
	last := len(*m) - 1
	x := (*m)[last]
	*m = (*m)[:last]
	return x
}
