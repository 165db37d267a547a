package mlfs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
)

// leastTime is the least that a deadline is thought to be ahead, and a job to have left.
const leastTime = time.Minute

// priorities are those of all jobs of a round.
type priorities struct {
	*Policy
	unknownLeft time.Duration // what a job has left of which nothing is known
	scorerName  string        // who scores, in place of the heuristic, for reasons

	all      []priority // by Entry.Index
	mayYield []bool     // by Entry.Index: it runs and is among the lowest
}

// priority is what counts of a job.
type priority struct {
	accuracy     float64 // by the gain of its next iteration, and those of its dependents
	time         float64 // by deadline, time left and wait, and those of its dependents
	sum          float64
	toDeadline   float64 // hours; 0: it has none
	left, waited float64 // hours
	ownGain      float64
}

// Order implements engine.Orderer.
func (v *priorities) Order(r *engine.Round) ([]*engine.Entry, error) {
	v.all = make([]priority, len(r.Entries))
	for _, e := range r.Entries {
		v.all[e.Index] = v.measure(r, e)
	}
	v.weigh()
	v.addDependents(r)
	for i := range v.all {
		p := &v.all[i]
		p.sum = v.Alpha*p.accuracy + (1-v.Alpha)*p.time
	}
	v.score(r.Entries)
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		return engine.ThenArrival(cmp.Compare(v.all[b.Index].sum, v.all[a.Index].sum), a, b)
	})
	v.chooseCandidates(line)
	if !r.OmitReasons {
		for _, e := range line {
			e.Note = v.noteFor(e)
		}
	}
	return line, nil
}

func (v *priorities) noteFor(e *engine.Entry) string {
	p := &v.all[e.Index]
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
	note := "priority " + number(p.sum) + ": accuracy " + number(p.accuracy) + ", time " + number(p.time)
	if v.scorer != nil {
		note = "score " + number(p.sum) + " by " + v.scorerName + ": accuracy " + number(p.accuracy) + ","
	}
	note += " with " + policy.FormatSeconds(p.left*3600) + " left and " + policy.FormatSeconds(p.waited*3600) + " waited"
	if p.toDeadline > 0 {
		note += fmt.Sprintf(", and its deadline in %s", policy.FormatSeconds(p.toDeadline*3600))
	}
	return note
}

// measure looks at one job. Where it happens to run, and whether it does, changes nothing: a job that
// ranks higher once it is stopped would take turns with others for ever.
func (v *priorities) measure(r *engine.Round, e *engine.Entry) priority {
	p := priority{ownGain: v.urgencyOf(e) * gainOfNext(e.Job, v.unknownLeft)}
	left := predict.OnFastestType(r, e)
	if left <= 0 {
		left = v.unknownLeft
	}
	p.left = max(left, leastTime).Hours()
	p.waited = max(r.Now.Sub(e.Arrive)-e.TotalRunTime(), 0).Hours()
	switch {
	case !e.Deadline.IsZero():
		p.toDeadline = max(e.Deadline.Sub(r.Now), leastTime).Hours()
	case e.Limit > 0:
		p.toDeadline = max(e.Limit-e.TotalRunTime(), leastTime).Hours()
	}
	return p
}

func (v *priorities) urgencyOf(e *engine.Entry) float64 {
	if u, ok := v.Urgency[e.QOS]; ok {
		return u
	}
	return 1
}

// weigh sets the priorities of jobs by themselves.
func (v *priorities) weigh() {
	shortestDeadline, shortestLeft, longestWait := 1., 1., 1.
	if v.Scale == scaleRelative {
		shortestDeadline, shortestLeft, longestWait = math.Inf(1), math.Inf(1), leastTime.Hours()
		for i := range v.all {
			p := &v.all[i]
			if shortestLeft, longestWait = min(shortestLeft, p.left), max(longestWait, p.waited); p.toDeadline > 0 {
				shortestDeadline = min(shortestDeadline, p.toDeadline)
			}
		}
	}
	for i := range v.all {
		p := &v.all[i]
		p.accuracy = p.ownGain
		p.time = v.LeftWeight*shortestLeft/p.left + v.WaitWeight*p.waited/longestWait
		if p.toDeadline > 0 {
			p.time += v.DeadlineWeight * shortestDeadline / p.toDeadline
		}
	}
}

// addDependents adds to each job a part of the priorities of the jobs that wait for its end, of which those
// of theirs are part already.
func (v *priorities) addDependents(r *engine.Round) {
	if !slices.ContainsFunc(r.Entries, func(e *engine.Entry) bool { return len(e.DependsOn) > 0 }) {
		return
	}
	dependents := make([][]int, len(r.Entries))
	for _, e := range r.Entries {
		for _, id := range e.DependsOn {
			if i, found := sort.Find(len(r.Jobs), func(i int) int { return cmp.Compare(id, r.Jobs[i].ID) }); found {
				dependents[i] = append(dependents[i], e.Index)
			}
		}
	}
	done := make([]bool, len(r.Entries))
	for i := range r.Entries {
		v.addThoseOf(i, dependents, done)
	}
}

// addThoseOf adds the dependents of one job, each after its own. Jobs that wait for each other in a circle, which
// Slurm does not allow, are left as they are when they are met again.
func (v *priorities) addThoseOf(i int, dependents [][]int, done []bool) {
	if done[i] {
		return
	}
	done[i] = true
	for _, k := range dependents[i] {
		v.addThoseOf(k, dependents, done)
		v.all[i].accuracy += v.Gamma * v.all[k].accuracy
		v.all[i].time += v.Gamma * v.all[k].time
	}
}
