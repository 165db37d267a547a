package sim

import (
	"time"

	"fairbridge/bridge/slurm"
)

// accounting is what slurmdbd would know: every run that ended, and counts. It
// also keeps the signals, which Slurm forgets.
type accounting struct {
	segments  []Segment
	signals   []DeliveredSignal
	submitted int
	started   int
	completed int
}

// Segment is one run of one job, as accounting keeps it.
type Segment struct {
	Job      int64
	SLUID    string
	Array    int64 // 0: none
	Task     int64
	Submit   time.Time // of this run
	Restarts int
	Name     string
	User     string
	Account  string
	Start    time.Time
	End      time.Time
	Nodes    []string
	GPUType  string
	GPUs     int
	State    string        // COMPLETED, REQUEUED, TIMEOUT, CANCELLED, …
	Lost     time.Duration // run time without progress: work thrown away, and restoring
}

// DeliveredSignal is a signal that reached the batch script of a job.
type DeliveredSignal struct {
	Job    int64
	SLUID  string // of the run
	Signal slurm.Signal
	At     time.Time
}

// recordEnd writes the segment of a run.
func (a *accounting) recordEnd(j *job, state string, at time.Time, lost time.Duration) {
	typ, n := j.slots.GPUs()
	a.segments = append(a.segments, Segment{
		Job: j.id, SLUID: j.sluid, Array: j.array, Task: j.task, Submit: j.submit, Restarts: j.restarts,
		Name: j.spec.Name, User: j.spec.User, Account: j.spec.Account, Start: j.exactStart, End: at,
		Nodes: j.hostNames(), GPUType: typ, GPUs: n, State: state, Lost: lost,
	})
}

// Segments returns the accounting records of all ended runs, by end.
func (a *accounting) Segments() []Segment { return a.segments }

// Signals are all that were delivered, in order.
func (a *accounting) Signals() []DeliveredSignal { return a.signals }

// Totals returns how many jobs were submitted, started and completed so far.
func (a *accounting) Totals() (submitted, started, completed int) {
	return a.submitted, a.started, a.completed
}
