package demo

import (
	"cmp"
	"slices"
	"time"
)

// Record is one run of one job as Slurm's accounting has it.
type Record struct {
	Job     int64 // Slurm's number; each task of an array has its own
	Name    string
	Task    int // of an array; 0 without
	User    string
	Account string
	GPUs    int
	Submit  time.Time // of this run: when it was requeued, for a later one
	Start   time.Time
	End     time.Time
	State   string
}

// Outcome is all that became of a job.
type Outcome struct {
	Job     int64
	Name    string
	Task    int
	Account string
	GPUs    int
	Submit  time.Time // the first
	End     time.Time // the last
	Runs    []Record  // by start
}

// RunTime returns how long it ran in all.
func (l *Outcome) RunTime() time.Duration {
	sum := time.Duration(0)
	for i := range l.Runs {
		sum += l.Runs[i].End.Sub(l.Runs[i].Start)
	}
	return sum
}

// WaitTime returns how long it waited in all: before its first run, and after each
// requeue.
func (l *Outcome) WaitTime() time.Duration { return l.End.Sub(l.Submit) - l.RunTime() }

// outcomesFromRecords joins the runs of each job, sorted by job. A run ends at the latest
// when its job was submitted again: slurmdbd may close a requeued run later.
func outcomesFromRecords(runs []Record) []Outcome {
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b Record) int { return cmp.Or(cmp.Compare(a.Job, b.Job), a.Start.Compare(b.Start)) })
	var out []Outcome
	for _, r := range runs {
		if len(out) == 0 || out[len(out)-1].Job != r.Job {
			out = append(out, Outcome{Job: r.Job, Name: r.Name, Task: r.Task, Account: r.Account, GPUs: r.GPUs, Submit: r.Submit})
		}
		l := &out[len(out)-1]
		if n := len(l.Runs); n > 0 {
			l.Runs[n-1].End = earlierOf(l.Runs[n-1].End, laterOf(r.Submit, l.Runs[n-1].Start))
		}
		l.End = r.End
		l.Runs = append(l.Runs, r)
	}
	return out
}
