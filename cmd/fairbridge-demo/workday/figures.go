package workday

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Figures are what a day's records say. Times are in seconds.
type Figures struct {
	JobCount                int            `json:"jobs"`
	WaitMedian              float64        `json:"wait_median_s"`
	WaitP95                 float64        `json:"wait_p95_s"`
	WaitMean                float64        `json:"wait_mean_s"`
	TurnaroundMedian        float64        `json:"turnaround_median_s"`
	TurnaroundMean          float64        `json:"turnaround_mean_s"`
	FairnessMedian          float64        `json:"finish_time_fairness_median"`
	FairnessWorst           float64        `json:"finish_time_fairness_worst"`
	UnfairFraction          float64        `json:"finish_time_fairness_above_1"` // fraction of the jobs
	AccountShares           []AccountShare `json:"shares_while_jobs_wait"`
	RequeueCount            int            `json:"requeues"`
	IdleFraction            float64        `json:"gpu_idle"`                 // fraction of GPU time from the first submission to the last end
	ContendedIdleFraction   float64        `json:"gpu_idle_while_jobs_wait"` // the same, while any job waited
	MakespanSeconds         float64        `json:"makespan_s"`
	LatestSubmissionSeconds float64        `json:"latest_submission_s"`           // by how much a job was submitted late, at most
	ExcessGPUs              int            `json:"gpus_recorded_beyond_capacity"` // not 0: Slurm's records contradict themselves
}

// MeasureFigures works out the figures of a day from Slurm's records of it. An error
// says which job of the day is missing or did not end well.
func MeasureFigures(day []Job, runs []RunRecord, capacity int, weights map[string]float64) (*Figures, error) {
	outcomes := OutcomesFromRecords(runs)
	if err := checkAllCompleted(day, outcomes); err != nil {
		return nil, err
	}
	f := &Figures{JobCount: len(outcomes)}
	f.setTimes(outcomes)
	f.setFairness(outcomes, isolatedTimeByJob(day, capacity, weights))
	c := integrateContention(outcomes, capacity, weights)
	f.AccountShares = c.accountShares(capacity, weights)
	f.ContendedIdleFraction = ratio(c.idleGPUSeconds, c.duration.Seconds()*float64(capacity))
	f.ExcessGPUs = c.excessGPUs
	first, last, busy := outcomes[0].FirstSubmit, outcomes[0].LastEnd, 0.0
	for i := range outcomes {
		l := &outcomes[i]
		first, last = earlierOf(first, l.FirstSubmit), laterOf(last, l.LastEnd)
		busy += l.RunTime().Seconds() * float64(l.GPUs)
		f.RequeueCount += len(l.Runs) - 1
	}
	f.MakespanSeconds = last.Sub(first).Seconds()
	f.IdleFraction = 1 - ratio(busy, f.MakespanSeconds*float64(capacity))
	return f, nil
}

// checkAllCompleted checks that every job of the day is there and completed.
func checkAllCompleted(day []Job, outcomes []JobOutcome) error {
	seen := map[string]int{}
	for i := range outcomes {
		l := &outcomes[i]
		if state := l.Runs[len(l.Runs)-1].State; state != "COMPLETED" {
			return fmt.Errorf("job %d (%s) ended as %s: the day cannot be measured", l.JobID, l.Name, state)
		}
		seen[l.Name]++
	}
	if len(day) == 0 {
		return fmt.Errorf("a day without jobs cannot be measured")
	}
	for i := range day {
		if j := &day[i]; seen[j.Name] != j.TaskCount() {
			return fmt.Errorf("of job %s Slurm's records have %d, want %d", j.Name, seen[j.Name], j.TaskCount())
		}
	}
	return nil
}

func (f *Figures) setTimes(outcomes []JobOutcome) {
	var wait, turn []float64
	for i := range outcomes {
		wait = append(wait, outcomes[i].WaitTime().Seconds())
		turn = append(turn, outcomes[i].LastEnd.Sub(outcomes[i].FirstSubmit).Seconds())
	}
	f.WaitMedian, f.WaitP95, f.WaitMean = quantile(wait, 0.5), quantile(wait, 0.95), mean(wait)
	f.TurnaroundMedian, f.TurnaroundMean = quantile(turn, 0.5), mean(turn)
}

func (f *Figures) setFairness(outcomes []JobOutcome, isolated map[JobKey]time.Duration) {
	var rho []float64
	above := 0
	for i := range outcomes {
		l := &outcomes[i]
		r := ratio(l.LastEnd.Sub(l.FirstSubmit).Seconds(), isolated[l.Key()].Seconds())
		rho = append(rho, r)
		if r > 1 {
			above++
		}
	}
	f.FairnessMedian, f.FairnessWorst = quantile(rho, 0.5), quantile(rho, 1)
	f.UnfairFraction = ratio(float64(above), float64(len(rho)))
}

// quantile returns the smallest value that at least the fraction q does not
// exceed.
func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[max(int(math.Ceil(q*float64(len(v))))-1, 0)]
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return ratio(sum, float64(len(v)))
}

func earlierOf(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

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
