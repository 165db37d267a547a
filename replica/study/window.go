package study

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/workload"
)

// maxWindowHistory is how many jobs before a window teach: more add little to what the last ones say.
const maxWindowHistory = 2000

// TakeWindow returns the scenario with only so many jobs that arrived one after the other. The
// seed says where in the workload the window begins, and is the same place for every policy.
// Time counts from the first of them. What ended before is its history.
func (s *Scenario) TakeWindow(jobCount int, seed int64) (*Scenario, error) {
	if jobCount <= 0 || jobCount > len(s.Jobs) {
		return nil, fmt.Errorf("a window of %s: %s has %d that can run on %s: take a smaller one", policy.FormatCount(jobCount, "job"), s.Name, len(s.Jobs), policy.FormatCount(s.CountGPUs(), "GPU"))
	}
	return s.WindowAt(int(drawUniform(seed, "window", 0)*float64(len(s.Jobs)-jobCount+1)), jobCount)
}

// WindowAt returns the scenario with only so many jobs from the one at a place, from 0. Time counts from the first of
// them. What ended before is its history.
func (s *Scenario) WindowAt(first, jobCount int) (*Scenario, error) {
	if first < 0 || jobCount <= 0 || first+jobCount > len(s.Jobs) {
		return nil, fmt.Errorf("%s from place %d: %s has %d", policy.FormatCount(jobCount, "job"), first, s.Name, len(s.Jobs))
	}
	w := *s
	w.WindowJobs = jobCount
	w.Jobs = slices.Clone(s.Jobs[first : first+jobCount])
	begin := w.Jobs[0].Arrive
	w.History = historyOf(s.Jobs[max(0, first-maxWindowHistory):first], begin, s.firstGPUType())
	for i := range w.Jobs {
		setArrival(&w.Jobs[i], w.Jobs[i].Arrive-begin)
	}
	return &w, nil
}

// historyOf is what those of the jobs leave to learn from that would have ended by then, started when
// they arrived: a trace that is read for its jobs does not say when they really did.
// Jobs that ask for no type of GPU ran on the given one.
func historyOf(jobs []workload.Job, until float64, gpuType string) History {
	h := History{Until: workload.CalendarTimeAt(until)}
	for i := range jobs {
		j := &jobs[i]
		end := j.Arrive + j.Duration
		if j.Training != nil || !(j.Duration > 0) || end > until {
			continue
		}
		h.Runs = append(h.Runs, learn.Run{
			Job:   learn.Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: cmp.Or(j.GPUType, gpuType), GPUs: j.GPUs, Limit: j.TimeLimit},
			Start: workload.CalendarTimeAt(j.Arrive), End: workload.CalendarTimeAt(end), Ran: policy.DurationFromSeconds(j.Duration),
		})
	}
	slices.SortStableFunc(h.Runs, func(a, b learn.Run) int { return a.End.Compare(b.End) })
	return h
}

// firstGPUType is the type of the first GPUs there are; "": there are none.
func (s *Scenario) firstGPUType() string {
	for i := range s.Nodes {
		if all := s.Nodes[i].GPUs; len(all) > 0 {
			return all[0].Type
		}
	}
	return ""
}

// ScaleToLoad returns the scenario with all times between arrivals longer or shorter by one
// factor, so that its jobs ask for such a part of the GPU time between the first arrival and
// the last.
func (s *Scenario) ScaleToLoad(load float64) (*Scenario, error) {
	work, first, span := s.demand(0, len(s.Jobs))
	if !(work > 0) || !(span > 0) || !(load > 0) {
		return nil, fmt.Errorf("scaling the arrivals of %s to load %g: its %s all arrive at once, or run for no time",
			s.Name, load, policy.FormatCount(len(s.Jobs), "job"))
	}
	w := *s
	w.ArrivalFactor = work / (load * float64(s.CountGPUs()) * span)
	w.Jobs = slices.Clone(s.Jobs)
	for i := range w.Jobs {
		setArrival(&w.Jobs[i], first+(w.Jobs[i].Arrive-first)*w.ArrivalFactor)
	}
	return &w, nil
}

// OfferedLoad returns the GPU time that the jobs from one place to before another ask for, as a part of the GPU time
// there is between the first arrival of them and the last; not finite where all arrive at once.
func (s *Scenario) OfferedLoad(from, to int) float64 {
	work, _, span := s.demand(from, to)
	return work / (float64(s.CountGPUs()) * span)
}

// demand returns the GPU time that the jobs from one place to before another ask for, when the first of them arrives,
// and how long after it the last.
func (s *Scenario) demand(from, to int) (work, first, span float64) {
	last := 0.0
	for i := from; i < to; i++ {
		j := &s.Jobs[i]
		if i == from {
			first, last = j.Arrive, j.Arrive
		}
		work, first, last = work+float64(j.GPUs)*j.Duration, min(first, j.Arrive), max(last, j.Arrive)
	}
	return work, first, last - first
}

// setArrival moves a job in time, and its deadline with it.
func setArrival(j *workload.Job, at float64) {
	if j.Deadline > 0 {
		j.Deadline += at - j.Arrive
	}
	j.Arrive = at
}

// DescribeChanges says in a few words how the jobs of the first scenario are others than the trace
// has them: "each seed another window of the trace, ARRIVALS SCALED to the load …"; "" where they
// are not.
func (e *Experiment) DescribeChanges() string {
	s, text := e.Scenarios[0], ""
	if s.WindowJobs > 0 {
		text = "each seed another window of the trace"
	}
	if s.ArrivalFactor > 0 {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("ARRIVALS SCALED to the load (times between them × %.3g)", s.ArrivalFactor)
	}
	return text
}
