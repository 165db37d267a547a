package packs

import (
	"math"
	"slices"
)

// tiresiasLimits are the GPU-seconds that bound Tiresias' lists but the last.
var tiresiasLimits = []float64{3250, 7200}

// Tiresias runs first the jobs of the first of three lists; a job that ran for so many GPU-seconds
// as bound its list goes to the end of the next. GPUs are only counted, wherever they are.
func Tiresias() System {
	return System{Name: "tiresias", Rule: &threeLists{lists: make([][]*Job, len(tiresiasLimits)+1), wakeAt: math.Inf(1)}, EndsOneByOne: true}
}

// threeLists is Tiresias under way.
type threeLists struct {
	lists  [][]*Job
	listOf []int // by Job.Order: 1 and more; 0: it is on none
	wakeAt float64
}

// Choose implements Rule.
func (r *threeLists) Choose(m *Moment) ([]Pack, error) {
	r.update(m.Active)
	free := m.Cluster.GPUCount()
	var packs []Pack
	r.wakeAt = math.Inf(1)
	for k, list := range r.lists {
		var running, waiting []*Job
		for _, j := range list {
			if j.GPUs > free {
				waiting = append(waiting, j)
				continue
			}
			free -= j.GPUs
			running, packs = append(running, j), append(packs, Alone(j))
			if k < len(tiresiasLimits) { // summed otherwise, it may be asked at one time for ever
				r.wakeAt = min(r.wakeAt, m.Now+(math.Ceil(tiresiasLimits[k]/float64(j.GPUs))-j.ExecutedSeconds))
			}
		}
		r.lists[k] = append(running, waiting...)
	}
	return packs, nil
}

// update puts jobs that arrived on the first list, and those that ran long enough one list further,
// in the order in which they arrived.
func (r *threeLists) update(active []*Job) {
	for _, j := range active {
		r.listOf = append(r.listOf, make([]int, max(j.Order+1-len(r.listOf), 0))...)
		k := r.listOf[j.Order] - 1
		switch {
		case k < 0:
			r.lists[0], r.listOf[j.Order] = append(r.lists[0], j), 1
		case j.IsRunning && k < len(tiresiasLimits) && j.ExecutedSeconds*float64(j.GPUs) >= tiresiasLimits[k]:
			r.lists[k] = without(r.lists[k], j)
			r.lists[k+1], r.listOf[j.Order] = append(r.lists[k+1], j), k+2
		}
	}
}

// WakeAt implements Waker: when the first of the running jobs goes to another list.
func (r *threeLists) WakeAt() float64 { return r.wakeAt }

// Left implements Leaver.
func (r *threeLists) Left(j *Job) {
	if k := r.listOf[j.Order] - 1; k >= 0 {
		r.lists[k], r.listOf[j.Order] = without(r.lists[k], j), 0
	}
}

// without removes the job, if it is there.
func without(list []*Job, j *Job) []*Job {
	return slices.DeleteFunc(list, func(o *Job) bool { return o == j })
}
