// Package replay makes a workload of what a site's own cluster ran, and figures
// of what really became of it, so that policies can be compared with that.
package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/trial"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// Asked is a stretch of a partition's past.
type Asked struct {
	Name         string // of the workload
	Partition    string
	Since, Until time.Time
	Runs         []bridge.PastRun            // as accounting returns them
	Seen         map[policy.JobID]policy.Job // what owners said, as far as it is known
	Nodes        []policy.Node               // to simulate on
	Accounts     []policy.Account
	Opting       bridge.Opting // who lets jobs be stopped, by the site's configuration
	All          bool          // everybody does
}

// Site is a past that can be simulated.
type Site struct {
	*trial.Workload
	Real *measure.Run // what happened to the same jobs
	// Arrived are the jobs that arrived within the time; the others were there
	// at its beginning.
	Arrived map[int64]bool
}

// lived is one job of the past.
type lived struct {
	workload.Job
	out     measure.Outcome
	spans   [][2]float64 // of its runs
	carried bool
	open    bool // a run is still under way
}

// New makes workload and figures.
func New(a Asked) (*Site, error) {
	if first := a.first(); first.After(a.Since) {
		a.Since = first
	}
	jobs := a.jobs()
	list := make([]workload.Job, len(jobs))
	for i := range jobs {
		list[i] = jobs[i].Job
	}
	w, err := trial.NewFitting(a.Name, list, a.Accounts, a.Nodes)
	if err != nil {
		return nil, err
	}
	fits := map[int64]bool{}
	for i := range w.Jobs {
		fits[w.Jobs[i].ID] = true
	}
	jobs = slices.DeleteFunc(jobs, func(l lived) bool { return !fits[l.ID] })
	s := &Site{Workload: w, Arrived: map[int64]bool{}}
	s.remark(jobs)
	for i := range jobs {
		s.Arrived[jobs[i].ID] = !jobs[i].carried
	}
	s.Real = s.happened(jobs)
	return s, nil
}

// first is when the first job arrived.
func (a *Asked) first() time.Time {
	first := a.Until
	for i := range a.Runs {
		if at := a.Runs[i].Arrive; at.Before(first) {
			first = at
		}
	}
	return first
}

// remark says what to know before believing the figures.
func (s *Site) remark(jobs []lived) {
	carried, open, again := 0, 0, 0
	for i := range jobs {
		carried += one(jobs[i].carried)
		open += one(jobs[i].open)
		again += one(jobs[i].out.Stops > 0)
	}
	for _, r := range []struct {
		n    int
		text string
	}{
		{carried, "%d jobs were there at the beginning: they arrive at once, with what was left of them"},
		{open, "%d jobs still run: they end where the record does"},
		{again, "%d jobs ran more than once: runs that were lost are not simulated"},
	} {
		if r.n > 0 {
			s.Remarks = append(s.Remarks, fmt.Sprintf(r.text, r.n))
		}
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// jobs puts runs together by job, by arrival. A number that was used twice is
// replaced the second time.
func (a *Asked) jobs() []lived {
	var out []lived
	used, next := map[int64]bool{}, int64(1)
	for i := range a.Runs {
		next = max(next, int64(a.Runs[i].Job)+1)
	}
	for from := 0; from < len(a.Runs); {
		to := from + 1
		for to < len(a.Runs) && a.Runs[to].Job == a.Runs[from].Job && a.Runs[to].Arrive.Equal(a.Runs[from].Arrive) {
			to++
		}
		l := a.job(a.Runs[from:to])
		if used[l.ID] {
			l.ID, next = next, next+1
			l.out.ID = l.ID
		}
		used[l.ID] = true
		out = append(out, l)
		from = to
	}
	slices.SortStableFunc(out, func(x, y lived) int { return cmp.Or(cmp.Compare(x.Arrive, y.Arrive), cmp.Compare(x.ID, y.ID)) })
	return out
}

// sec counts from the beginning; what lies before it counts as then.
func (a *Asked) sec(t time.Time) float64 { return max(t.Sub(a.Since).Seconds(), 0) }

// job makes one job of its runs. If it was stopped by us it went on where it
// was, so that all runs are its work; else only the last one is.
func (a *Asked) job(runs []bridge.PastRun) lived {
	first, last := &runs[0], &runs[len(runs)-1]
	l := lived{carried: first.Arrive.Before(a.Since), open: !last.Closed}
	ran, kept, stopped := 0.0, 0.0, false
	for i := range runs {
		s, e := a.sec(runs[i].Start), a.sec(runs[i].End)
		l.spans = append(l.spans, [2]float64{s, e})
		ran += e - s
		stopped = stopped || runs[i].Stopped
		if kept += e - s; !runs[i].Stopped && i+1 < len(runs) {
			kept = 0
		}
	}
	l.Job = workload.Job{
		ID: int64(last.Job), Name: last.Name, User: last.User, Account: last.Account, QOS: last.QOS,
		Arrive: a.sec(first.Arrive), GPUs: last.GPUs, Nodes: last.Nodes, Duration: kept, End: endOf(last.State),
		Limit: a.limit(first, last), Silent: true, Fixed: !(a.All || stopped || a.opted(last)),
	}
	if len(last.Types) == 1 {
		l.GPUType = last.Types[0]
	}
	if seen, ok := a.Seen[last.Job]; ok && seen.Arrive.Equal(last.Arrive) {
		l.Fixed = l.Fixed && seen.Fixed != ""
		l.Class, l.Shareable, l.Checkpoint = seen.Class, seen.Shareable, seen.Checkpoint.Seconds()
	}
	gpus := float64(last.GPUs)
	l.out = measure.Outcome{
		ID: l.ID, User: l.User, Account: l.Account, GPUs: l.GPUs, Arrive: l.Arrive, Start: l.spans[0][0],
		Finish: a.sec(last.End), Alone: kept, Stops: len(runs) - 1, Ran: ran, Service: gpus * ran, Lost: gpus * (ran - kept),
	}
	return l
}

// limit is what was left of the time limit at the beginning.
func (a *Asked) limit(first, last *bridge.PastRun) time.Duration {
	d := policy.Seconds(last.Limit)
	if d > 0 && first.Start.Before(a.Since) {
		d = max(d-a.Since.Sub(first.Start), time.Minute)
	}
	return d
}

// opted reports whether the site lets such jobs be stopped.
func (a *Asked) opted(r *bridge.PastRun) bool {
	o := &a.Opting
	return slices.Contains(o.QOS, r.QOS) || slices.Contains(o.Accounts, r.Account) || slices.Contains(o.Partitions, a.Partition)
}

func endOf(state string) workload.End {
	switch state {
	case "CANCELLED":
		return workload.Cancelled
	case "COMPLETED", "TIMEOUT", "RUNNING":
		return workload.Completed
	}
	return workload.Failed
}

// happened makes figures of what happened.
func (s *Site) happened(jobs []lived) *measure.Run {
	run := &measure.Run{Policy: "what happened", Trace: s.Name, GPUs: s.GPUs(), Shares: map[string]float64{}, Jobs: []measure.Outcome{}}
	for _, a := range s.Accounts {
		run.Shares[a.Name] = a.Weight
	}
	var changes []measure.Change
	for i := range jobs {
		l := &jobs[i]
		run.Jobs = append(run.Jobs, l.out)
		run.BusyTime += l.out.Service - l.out.Lost
		run.Makespan = max(run.Makespan, l.out.Finish)
		changes = append(changes, measure.Change{At: l.Arrive, Queued: 1})
		for k, span := range l.spans {
			changes = append(changes,
				measure.Change{At: span[0], Account: l.Account, GPUs: l.GPUs, Running: 1, Queued: -1},
				measure.Change{At: span[1], Account: l.Account, GPUs: -l.GPUs, Running: -1, Queued: one(k+1 < len(l.spans))})
		}
	}
	run.Samples = measure.Course(changes)
	return run
}
