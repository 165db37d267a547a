package sim

import (
	"time"

	"fairbridge/bridge/slurm"
)

// accounting is what slurmdbd would know: every run that ended, and counts. It
// also keeps the signals, which Slurm forgets.
type accounting struct {
	endedRuns        []EndedRun
	deliveredSignals []DeliveredSignal
	submittedCount   int
	startedCount     int
	completedCount   int
}

// EndedRun is one run of one job, as accounting keeps it.
type EndedRun struct {
	JobID        int64
	SLUID        string
	ArrayID      int64 // 0: none
	TaskID       int64
	SubmitTime   time.Time // of this run
	RestartCount int
	Name         string
	User         string
	Account      string
	Start        time.Time
	ByBackfill   bool // backfill started it, not a main pass
	End          time.Time
	Nodes        []string
	GPUType      string
	GPUCount     int
	EndState     string        // COMPLETED, REQUEUED, TIMEOUT, CANCELLED, …
	LostTime     time.Duration // run time without progress: work thrown away, and restoring
}

// DeliveredSignal is a signal that reached the batch script of a job.
type DeliveredSignal struct {
	JobID  int64
	SLUID  string // of the run
	Signal slurm.Signal
	At     time.Time
}

// recordRunEnd writes the segment of a run.
func (a *accounting) recordRunEnd(j *job, state string, at time.Time, lost time.Duration) {
	typ, n := j.slots.GPUTypeAndCount()
	a.endedRuns = append(a.endedRuns, EndedRun{
		JobID: j.id, SLUID: j.sluid, ArrayID: j.arrayID, TaskID: j.taskID, SubmitTime: j.submitTime, RestartCount: j.restartCount,
		Name: j.spec.Name, User: j.spec.User, Account: j.spec.Account, Start: j.exactStart, End: at,
		ByBackfill: j.isBackfilled, Nodes: j.hostNames(), GPUType: typ, GPUCount: n, EndState: state, LostTime: lost,
	})
}

// EndedRuns returns the accounting records of all ended runs, by end.
func (a *accounting) EndedRuns() []EndedRun { return a.endedRuns }

// DeliveredSignals are all that were delivered, in order.
func (a *accounting) DeliveredSignals() []DeliveredSignal { return a.deliveredSignals }

// JobTotals returns how many jobs were submitted, started and completed so far.
func (a *accounting) JobTotals() (submitted, started, completed int) {
	return a.submittedCount, a.startedCount, a.completedCount
}
