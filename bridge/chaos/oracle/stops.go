package oracle

import (
	"fmt"
	"time"

	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/slurm"
)

// stop is a requeue of ours that ended a run.
type stop struct {
	at           time.Time // when it was sent
	cycle        int
	job          int64
	user         string
	account      string
	gpus         float64
	lost         float64   // GPU seconds
	beneficiary  int64     // the job it made room for
	carriedOutAt time.Time // when Slurm carried it out
	restarts     int       // of the job it made room for, then
	daemon       *Daemon
}

// I5: a requeue is sent at most once per run, only to running batch jobs that may
// be requeued and whose owner opted in.
func checkRequeueOnce(s *send) string {
	if s.Edit.Kind != slurm.EditRequeue {
		return ""
	}
	run := fmt.Sprintf("%d/%s", s.job.ID, s.o.actualJob(s.job.ID).SLUID)
	first, again := s.o.runs[run]
	if !again {
		s.o.runs[run] = s.now
	}
	if again && !s.o.ledger.isBeforeRestore(first) {
		return fmt.Sprintf("it was sent to run %s at %s already", run, formatTime(first))
	}
	switch {
	case s.afterRace:
	case s.job.State != "RUNNING" || !s.job.Requeue || !s.o.Site.Shown(*s.job).IsBatch:
		return fmt.Sprintf("it is %s, batch %t, may be requeued %t", s.job.State, s.job.IsBatch, s.job.Requeue)
	case s.job.Comment == "":
		return "its owner did not opt in"
	}
	return ""
}

// I6: run time before preemption is at least the quantum, and there is a time
// between two.
func checkRanEnough(s *send) string {
	if s.Edit.Kind != slurm.EditRequeue || s.afterRace {
		return ""
	}
	if ran := s.now.Sub(s.job.Start); ran < s.gate.Quantum {
		return fmt.Sprintf("it ran %v, %v are its own", ran, s.gate.Quantum)
	}
	for _, x := range s.o.stops {
		if ago := s.now.Sub(x.at); x.job == s.job.ID && ago < s.gate.Cooldown && !s.o.ledger.isBeforeRestore(x.at) {
			return fmt.Sprintf("it was stopped %v ago", ago)
		}
	}
	return ""
}

// I8: victims only if the named beneficiary would then fit, and is expected to gain
// several times the work lost.
func beneficiary(s *send) string {
	if s.Edit.Kind != slurm.EditRequeue || s.afterRace || s.row == nil {
		return ""
	}
	if s.row.Before.Stop == nil {
		return "the ledger does not say for whom"
	}
	to := s.row.Before.Stop.Beneficiary
	if to == s.job.ID {
		return "" // it moves
	}
	b := s.o.actualJob(to)
	switch {
	case b == nil || !b.IsPending() || b.IsHeld:
		if b == nil || s.o.book.entryOf(b).edited == 0 {
			return fmt.Sprintf("it is for job %d, which does not wait", to)
		}
		return "" // somebody changed it since we looked
	case float64(b.TimeLimit.Seconds())*float64(gpusAsked(b)) < s.gate.GainFactor*restartLoss(s.job):
		return fmt.Sprintf("job %d can gain %v on %d GPUs", to, b.TimeLimit, gpusAsked(b))
	}
	return s.checkFits(b, to)
}

// checkFits says why the job would not fit once its victims are gone, by what Slurm was
// when the daemon looked.
func (s *send) checkFits(b *slurm.Job, to int64) string {
	free := s.freeGPUs(b, to, func(string) bool { return true })
	if need := gpusAsked(b); free < need {
		return fmt.Sprintf("job %d wants %d GPUs, %d would be free", to, need, free)
	}
	return ""
}

// victims are the jobs stopped in this cycle for the same job, as they were.
func (s *send) victims(to int64) []slurm.Job {
	var out []slurm.Job
	all := s.o.ledger.rows()
	for i := range all {
		in := &all[i]
		if in.Cycle != s.row.Cycle || in.Before.Stop == nil || in.Before.Stop.Beneficiary != to {
			continue
		}
		if j := s.By.Truth.Job(in.Edit.Run.Job); j != nil {
			out = append(out, *j)
		}
	}
	return out
}

// gpusHeld is what a running job holds.
func gpusHeld(j *slurm.Job) int { return j.AllocatedTRES.GPUCount() }

// gpusAsked is how many GPUs a job wants.
func gpusAsked(j *slurm.Job) int { return j.RequestedTRES.GPUCount() }

// restartLoss is what a stop of the job costs, in GPU seconds: jobs that opted in say five
// seconds.
func restartLoss(j *slurm.Job) float64 { return 5 * float64(gpusHeld(j)) }

// I9: no pair preempts each other within two quanta.
func checkNoPingPong(s *send) string {
	if s.Edit.Kind != slurm.EditRequeue || s.row == nil || s.row.Before.Stop == nil {
		return ""
	}
	to := s.row.Before.Stop.Beneficiary
	for _, x := range s.o.stops {
		if x.job == to && x.beneficiary == s.job.ID && to != s.job.ID && s.now.Sub(x.at) < 2*s.gate.Quantum && !s.o.ledger.isBeforeRestore(x.at) {
			return fmt.Sprintf("job %d was stopped for it %v ago", to, s.now.Sub(x.at))
		}
	}
	return ""
}

// I22: no job is stopped while a job of the partition that another was stopped for
// has not started three intervals after that took effect, for half an hour at most.
func checkNotInVain(s *send) string {
	if s.Edit.Kind != slurm.EditRequeue || s.Late {
		return ""
	}
	now := s.By.Truth.At
	for i := range s.o.stops {
		x := &s.o.stops[i]
		b, v := s.By.Truth.Job(x.beneficiary), s.By.Truth.Job(x.job)
		since := now.Sub(x.carriedOutAt)
		switch {
		case b == nil || !b.IsPending() || b.IsHeld || b.Restarts != x.restarts || x.beneficiary == x.job || s.o.ledger.isBeforeRestore(x.at):
		case since <= 4*site.Interval || s.now.Sub(x.at) >= 30*time.Minute-s.gate.Skew: // a cycle to see that it took effect; clocks differ
		case v != nil && v.HasFlag("COMPLETING") && since <= 10*time.Minute:
		default:
			return fmt.Sprintf("job %d was stopped for job %d %v ago, which has not started (%s)", x.job, x.beneficiary, since, b.Reason)
		}
	}
	return ""
}
