package bydeadline

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// valued is a job with what it is worth.
type valued struct {
	*engine.Entry
	worth
	length float64 // seconds it takes
	gpus   float64 // whole ones
	index  float64 // what it loses by waiting for another, for each GPU-second it takes
}

// line is the jobs in the order in which they are served; those that run come first, and are not
// stopped, and those last that cannot start.
type line []valued

// listValues says of every job what it is worth.
func (p *Policy) listValues(r *engine.Round) line {
	means, mean := meanValues(r), meanLength(r)
	all := make(line, len(r.Entries))
	for i, e := range r.Entries {
		v := valued{
			Entry: e, worth: p.newWorth(r, e, means[e.Account]), length: e.Estimate().TimeLeft.Seconds(),
			gpus: max(e.Ask.GPUs.WholeGPUs(), .01),
		}
		if v.length <= 0 {
			v.length = mean
		}
		v.index = v.loss(v.length, mean, p.Lookahead*mean) / (v.gpus * v.length)
		all[i] = v
	}
	return all
}

// meanLength is the mean time that waiting jobs take, an hour where nothing is known: a job that
// is passed waits for about as long.
func meanLength(r *engine.Round) float64 {
	sum, count := 0., 0.
	for _, e := range r.Entries {
		if !e.HoldsGPUs() && e.Estimate().TimeLeft > 0 {
			sum += e.Estimate().TimeLeft.Seconds()
			count++
		}
	}
	if count == 0 {
		return 3600
	}
	return sum / count
}

// class is 0 for jobs that run, 1 for those that may start and 2 for others.
func (v *valued) class(r *engine.Round) int {
	switch {
	case v.HoldsGPUs():
		return 0
	case r.MayRun(v.Entry):
		return 1
	}
	return 2
}

// sortByIndex puts the job first that loses most.
func (l line) sortByIndex(r *engine.Round) {
	slices.SortFunc(l, func(a, b valued) int {
		return engine.ThenArrival(cmp.Or(cmp.Compare(a.class(r), b.class(r)), cmp.Compare(b.index, a.index)), a.Entry, b.Entry)
	})
}

func (l line) entries() []*engine.Entry {
	all := make([]*engine.Entry, len(l))
	for i := range l {
		all[i] = l[i].Entry
	}
	return all
}

// explain notes for owners what their jobs were ordered by.
func (l line) explain() {
	for i := range l {
		v := &l[i]
		slack := v.deadline - v.length
		switch {
		case v.step == 0:
			v.Note = "it has no deadline that counts, and loses little by waiting"
		case slack < 0 && v.zeroAt <= v.deadline:
			v.Note = fmt.Sprintf("its deadline %s cannot be met any more, as it takes %s yet; it goes behind jobs that can be in time", formatTime(v.Job), policy.FormatSeconds(v.length))
		case slack < 0:
			v.Note = fmt.Sprintf("it will be late for its soft deadline %s, and loses the more the later it is", formatTime(v.Job))
		default:
			v.Note = fmt.Sprintf("its deadline is %s, which leaves it %s, worth %.2g times the mean of its account", formatTime(v.Job), policy.FormatSeconds(slack), v.step)
		}
	}
}

func formatTime(j *policy.Job) string { return j.Deadline.UTC().Format("2006-01-02 15:04 MST") }
