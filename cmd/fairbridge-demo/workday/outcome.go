package workday

import (
	"cmp"
	"slices"
	"time"
)

// RunRecord is one run of one job as Slurm's accounting has it.
type RunRecord struct {
	JobID     int64 // Slurm's number; each task of an array has its own
	Name      string
	TaskIndex int // of an array; 0 without
	User      string
	Account   string
	GPUs      int
	Submit    time.Time // of this run: when it was requeued, for a later one
	Start     time.Time
	End       time.Time
	State     string
}

// JobOutcome is all that became of a job.
type JobOutcome struct {
	JobID       int64
	Name        string
	TaskIndex   int
	Account     string
	GPUs        int
	FirstSubmit time.Time   // the first
	LastEnd     time.Time   // the last
	Runs        []RunRecord // by start
}

// Key returns which job of the day it is.
func (l *JobOutcome) Key() JobKey { return JobKey{l.Name, l.TaskIndex} }

// RunTime returns how long it ran in all.
func (l *JobOutcome) RunTime() time.Duration {
	sum := time.Duration(0)
	for i := range l.Runs {
		sum += l.Runs[i].End.Sub(l.Runs[i].Start)
	}
	return sum
}

// WaitTime returns how long it waited in all: before its first run, and after each
// requeue.
func (l *JobOutcome) WaitTime() time.Duration { return l.LastEnd.Sub(l.FirstSubmit) - l.RunTime() }

// OutcomesFromRecords joins the runs of each job, sorted by job. A run ends at the latest
// when its job was submitted again: slurmdbd may close a requeued run later. A run that Slurm
// records in parts, as it does when a node list comes at the moment of its start, is one.
func OutcomesFromRecords(runs []RunRecord) []JobOutcome {
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b RunRecord) int {
		return cmp.Or(cmp.Compare(a.JobID, b.JobID), a.Start.Compare(b.Start), a.End.Compare(b.End), cmp.Compare(resizedFirst(a), resizedFirst(b)))
	})
	var out []JobOutcome
	for _, r := range runs {
		if len(out) == 0 || out[len(out)-1].JobID != r.JobID {
			out = append(out, JobOutcome{JobID: r.JobID, Name: r.Name, TaskIndex: r.TaskIndex, Account: r.Account, GPUs: r.GPUs, FirstSubmit: r.Submit})
		}
		l := &out[len(out)-1]
		if n := len(l.Runs); n > 0 && l.Runs[n-1].State == resizing {
			r.Start, l.Runs = l.Runs[n-1].Start, l.Runs[:n-1]
		} else if n > 0 {
			l.Runs[n-1].End = earlierOf(l.Runs[n-1].End, laterOf(r.Submit, l.Runs[n-1].Start))
		}
		l.LastEnd = r.End
		l.Runs = append(l.Runs, r)
	}
	return out
}

// resizing is the state of a run's first part, after which it goes on.
const resizing = "RESIZING"

// resizedFirst sorts the first part of a run before the second.
func resizedFirst(r RunRecord) int {
	if r.State == resizing {
		return 0
	}
	return 1
}
