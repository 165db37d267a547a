package demo

import (
	"container/heap"
	"time"
)

// work is one job of a day, by name and task of an array.
type work struct {
	name string
	task int
}

// isolated returns how long each job would take from submission to end if its
// account had its entitled part of the GPUs to itself and served its own jobs
// first come, first served. A job wider than that part takes all of it and
// runs slower in proportion.
func isolated(day []Job, capacity int, weights map[string]float64) map[work]time.Duration {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	parts := map[string]*part{}
	out := map[work]time.Duration{}
	for i := range day {
		j := &day[i]
		p := parts[j.Account]
		if p == nil {
			size := max(int(float64(capacity)*weights[j.Account]/sum), 1)
			p = &part{size: size, free: size}
			parts[j.Account] = p
		}
		for task := range j.Count() {
			out[work{j.Name, task}] = p.serve(j) - j.At
		}
	}
	return out
}

// part is an account's own small cluster.
type part struct {
	size, free int
	now        time.Duration // when the last job could start
	running    ends
}

// serve starts the job after all earlier ones and returns when it ends.
func (p *part) serve(j *Job) time.Duration {
	need, length := j.Width(), j.Work
	if need > p.size {
		length = length * time.Duration(need) / time.Duration(p.size)
		need = p.size
	}
	p.now = max(p.now, j.At)
	for len(p.running) > 0 && (p.running[0].at <= p.now || p.free < need) {
		e := heap.Pop(&p.running).(end)
		p.now, p.free = max(p.now, e.at), p.free+e.gpus
	}
	p.free -= need
	heap.Push(&p.running, end{p.now + length, need})
	return p.now + length
}

type end struct {
	at   time.Duration
	gpus int
}

// ends is a heap, the earliest first.
type ends []end

func (h ends) Len() int           { return len(h) }
func (h ends) Less(i, j int) bool { return h[i].at < h[j].at }
func (h ends) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ends) Push(x any)        { *h = append(*h, x.(end)) }
func (h *ends) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
