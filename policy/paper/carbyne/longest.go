package carbyne

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// task is a part of a workflow: how long it takes and how many
// machines at once.
type task struct {
	seconds float64
	width   int
}

// longestFirst schedules tasks on like machines, the longest first, each as
// early as it can, and returns when each ends. Read backwards from the last end
// it says how late each task may start, if never more machines are used:
// last - end. Tasks wider than the machines count as if they fitted.
func longestFirst(tasks []task, machines int) (ends []float64, last float64) {
	order, wide := make([]int, len(tasks)), 0
	for i, p := range tasks {
		order[i] = i
		wide += max(p.width, 1)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(tasks[b].seconds, tasks[a].seconds), cmp.Compare(a, b))
	})
	free := make(timeHeap, max(min(machines, wide), 1))
	ends = make([]float64, len(tasks))
	var taken []float64
	for _, i := range order {
		taken = taken[:0]
		for range min(max(tasks[i].width, 1), len(free)) {
			taken = append(taken, heap.Pop(&free).(float64))
		}
		ends[i] = slices.Max(taken) + math.Max(tasks[i].seconds, 0)
		for range taken {
			heap.Push(&free, ends[i])
		}
		last = max(last, ends[i])
	}
	return ends, last
}

// timeHeap is a heap of times.
type timeHeap []float64

func (m timeHeap) Len() int { return len(m) }

func (m timeHeap) Less(i, j int) bool { return m[i] < m[j] }

func (m timeHeap) Swap(i, j int) { m[i], m[j] = m[j], m[i] }

// Push implements heap.Interface.
func (m *timeHeap) Push(x any) { *m = append(*m, x.(float64)) }

// Pop implements heap.Interface.
func (m *timeHeap) Pop() any {
	last := len(*m) - 1
	x := (*m)[last]
	*m = (*m)[:last]
	return x
}
