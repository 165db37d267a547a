package dl2

import (
	"fmt"
	"math"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/sizing"
)

// sizer chooses the sizes of elastic jobs by a Chooser.
type sizer struct {
	*Policy
	chooser Chooser
	source  string // what it goes by, for reasons
}

// Allocate implements engine.Allocator.
func (z sizer) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line, err := order.ByArrival{}.Order(r)
	if err != nil {
		return nil, err
	}
	d := sizing.NewDraft(r)
	teacher := z.teacherSizes(r, d, line)
	isLawful := z.divide(r, d, line)
	if off := differenceTo(teacher, d, line); !isLawful || off > z.differenceBudget(r) {
		d.Close()
		if z.source = "the teacher, since a score of the network is no number"; isLawful {
			z.source = fmt.Sprintf("the teacher, since the network would give %s otherwise, more than %d", policy.FormatCount(off, "GPU"), z.differenceBudget(r))
		}
		z.chooser = ShortestFirst{}
		z.divide(r, d, line)
	}
	if !d.Holds(line) { // the engine would find other places: better change no job that runs
		d.StartWaiting(line, sizing.Least)
	}
	if !r.OmitReasons {
		for _, e := range line {
			e.Note = fmt.Sprintf("%s by %s", policy.FormatCount(max(d.Size(e), sizing.Least(e)), "GPU"), z.source)
		}
	}
	assigned := d.Assignments(line)
	d.Close()
	return assigned, nil
}

// divide gives each job its least size, and what is left as the chooser says. It reports
// whether the chooser kept to what it may choose.
func (z sizer) divide(r *engine.Round, d *sizing.Draft, line []*engine.Entry) bool {
	var jobs []*engine.Entry
	budget := z.changeBudget(r)
	for _, e := range line {
		if !sizing.MayResize(e) {
			continue
		}
		if surplus := e.On.Count() - e.MinGPUs; surplus > 0 && surplus <= budget && d.TrySize(e, e.MinGPUs, nil) {
			budget -= surplus
		}
		jobs = append(jobs, e)
	}
	d.StartWaiting(line, sizing.Least)
	for _, e := range line {
		if !e.HoldsGPUs() && sizing.HasRange(e) && d.Size(e) > 0 {
			jobs = append(jobs, e)
		}
	}
	if !newAllotment(r, d, jobs).run(z.chooser) {
		return false
	}
	rule := sizing.RestartRule{MinStep: z.Step}
	sizing.KeepUnlessWorth(d, jobs, func(e *engine.Entry, devices int) bool { return rule.IsWorthGrowing(e, devices, math.Inf(1)) })
	return true
}

// changeBudget is how many devices jobs may have to give up in a round.
func (z sizer) changeBudget(r *engine.Round) int { return int(z.MaxChange * r.WholeGPUs()) }

// differenceBudget is how many devices the network may give otherwise than its teacher in a round.
func (z sizer) differenceBudget(r *engine.Round) int { return int(z.MaxDifference * r.WholeGPUs()) }

// teacherSizes are the devices that the teacher would give each job of the line; nil: no network decides, or it may
// differ as it likes.
func (z sizer) teacherSizes(r *engine.Round, d *sizing.Draft, line []*engine.Entry) []int {
	if _, isNetwork := z.chooser.(*Scores); !isNetwork || z.MaxDifference >= 1 {
		return nil
	}
	z.chooser = ShortestFirst{}
	z.divide(r, d, line)
	sizes := make([]int, len(line))
	for i, e := range line {
		sizes[i] = d.Size(e)
	}
	d.Close()
	return sizes
}

// differenceTo is how many devices jobs have in the draft that they would not have by the teacher; 0: that is not known.
func differenceTo(teacher []int, d *sizing.Draft, line []*engine.Entry) (devices int) {
	for i := range teacher {
		devices += max(d.Size(line[i])-teacher[i], 0)
	}
	return devices
}
