package gandivafair

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy/engine"
)

// queueHeap is the queues of all accounts on all types, a heap by whose turn it is.
type queueHeap struct {
	queues              []*typeQueue
	grantableGPUsByType []int // GPUs to be granted, by type
	idleGPUsByType      []int // of them, that no job holds
}

// typeQueue is the jobs of an account that could run on a type: those that wait or
// run there, and apart those that run on other types. The least served is first.
type typeQueue struct {
	typeIndex        int
	jobsRunElsewhere bool // its jobs run on other types
	accountPass      *accountPass
	jobs             []*engine.Entry
}

// accountPass is what an account's two queues on a type have in common.
type accountPass struct {
	pass           float64
	increasePerGPU float64 // what a GPU adds to the pass until the next round
}

func (q *typeQueue) chargeGPUs(gpus float64) {
	q.accountPass.pass += gpus * q.accountPass.increasePerGPU
}

// newQueueHeap puts the jobs that compete for GPUs into their queues.
func (s *strideScheduler) newQueueHeap(r *engine.Round) *queueHeap {
	w := len(s.newPasses.Types)
	h := &queueHeap{grantableGPUsByType: make([]int, w), idleGPUsByType: make([]int, w)}
	for k, t := range s.newPasses.Types {
		h.grantableGPUsByType[k] = r.FreePool.TotalFree(t)
		h.idleGPUsByType[k] = h.grantableGPUsByType[k]
	}
	queues := s.newQueues()
	for i, e := range r.Entries {
		for _, slot := range e.On {
			k := slices.Index(s.newPasses.Types, slot.Type)
			switch {
			case k < 0:
			case e.IsUnstoppable:
				queues[s.newPasses.AccountOfJob[i]*w+k][0].chargeGPUs(float64(slot.Count))
			default:
				h.grantableGPUsByType[k] += slot.Count
			}
		}
		for k := range w {
			if e.WantedDeviceCount > 0 && !e.IsUnstoppable && s.isRunnable[i*w+k] {
				far := 0
				if len(e.On) > 0 && e.On.FirstType() != s.newPasses.Types[k] {
					far = 1
				}
				q := queues[s.newPasses.AccountOfJob[i]*w+k][far]
				q.jobs = append(q.jobs, e)
			}
		}
	}
	for _, pair := range queues {
		for _, q := range pair {
			if len(q.jobs) > 0 {
				slices.SortFunc(q.jobs, s.compareJobs)
				h.queues = append(h.queues, q)
			}
		}
	}
	return h
}

// newQueues makes two queues for every account and type.
func (s *strideScheduler) newQueues() [][2]*typeQueue {
	w := len(s.newPasses.Types)
	all := make([][2]*typeQueue, len(s.newPasses.PassByAccountType))
	quantum := s.quantumSeconds()
	for i, pass := range s.newPasses.PassByAccountType {
		account := &accountPass{pass: math.Inf(1)} // without tickets it gets what is left
		if t := s.newPasses.Tickets[i]; t > 0 {
			account.pass, account.increasePerGPU = pass, quantum/t
		}
		all[i] = [2]*typeQueue{{typeIndex: i % w, accountPass: account}, {typeIndex: i % w, accountPass: account, jobsRunElsewhere: true}}
	}
	return all
}

// compare says whose turn it is: the smaller pass, then the wider job, then
// where the job runs or where most GPUs idle.
func (h *queueHeap) compare(a, b *typeQueue) int {
	if a.jobsRunElsewhere != b.jobsRunElsewhere {
		if a.jobsRunElsewhere {
			return 1
		}
		return -1
	}
	x, y := a.jobs[0], b.jobs[0]
	if c := cmp.Or(cmp.Compare(a.accountPass.pass, b.accountPass.pass), cmp.Compare(y.Ask.GPUs.Count, x.Ask.GPUs.Count), cmp.Compare(x.ID, y.ID)); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(h.idleGPUsByType[b.typeIndex], h.idleGPUsByType[a.typeIndex]), cmp.Compare(a.typeIndex, b.typeIndex))
}

// Len implements heap.Interface.
func (h *queueHeap) Len() int { return len(h.queues) }

// Less implements heap.Interface.
func (h *queueHeap) Less(i, j int) bool { return h.compare(h.queues[i], h.queues[j]) < 0 }

// Swap implements heap.Interface.
func (h *queueHeap) Swap(i, j int) { h.queues[i], h.queues[j] = h.queues[j], h.queues[i] }

// Push implements heap.Interface.
func (h *queueHeap) Push(x any) { h.queues = append(h.queues, x.(*typeQueue)) }

// Pop implements heap.Interface.
func (h *queueHeap) Pop() any {
	last := len(h.queues) - 1
	q := h.queues[last]
	h.queues = h.queues[:last]
	return q
}
