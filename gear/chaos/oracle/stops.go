package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
)

// stop is a requeue of ours that ended a run.
type stop struct {
	sentAt              time.Time // when it was sent
	cycle               int
	jobID               int64
	user                string
	account             string
	gpuCount            float64
	lostGPUSeconds      float64   // GPU seconds
	beneficiary         int64     // the job it made room for
	carriedOutAt        time.Time // when Slurm carried it out
	beneficiaryRestarts int       // of the job it made room for, then
	daemon              *Daemon
	isRecall            bool // it counts to no budget
}

// I5: a requeue is sent at most once per run, only to running batch jobs that may
// be requeued and whose owner opted in.
func checkRequeueOnce(s *sendContext) string {
	if s.Edit.Kind != slurm.EditRequeue {
		return ""
	}
	if first, again := s.oracle.requeueTimeByRun[s.runText()]; again && !s.lostSpans.has(first) {
		return fmt.Sprintf("it was sent to run %s at %s already", s.runText(), formatTime(first))
	}
	switch {
	case s.wasChangedAfterReread:
	case s.job.State != "RUNNING" || !s.job.Requeue || !s.oracle.Site.ShownJob(*s.job).IsBatch:
		return fmt.Sprintf("it is %s, batch %t, may be requeued %t", s.job.State, s.job.IsBatch, s.job.Requeue)
	case !optedIn(s.job):
		return "its owner did not opt in"
	}
	return ""
}

// runText names the run of the job.
func (s *sendContext) runText() string { return fmt.Sprintf("%d/%s", s.job.ID, s.job.SLUID) }

// optedIn reports whether the owner of the job accepts requeues.
func optedIn(j *slurm.Job) bool {
	return strings.Contains(j.Comment, "preemptible") || strings.Contains(j.Comment, "opportunistic")
}

// isRecall reports whether the job, which runs on what others leave, was stopped for one that does not.
func (o *Oracle) isRecall(j *slurm.Job, stop *bridge.StopCost) bool {
	if stop == nil || !strings.Contains(j.Comment, "opportunistic") || o.Site.Budgets.Recall <= 0 {
		return false
	}
	to := o.actualJob(stop.Beneficiary)
	return to != nil && !strings.Contains(to.Comment, "opportunistic")
}

// I6: run time before preemption is at least the quantum, and there is a time
// between two.
func checkRanEnough(s *sendContext) string {
	if s.Edit.Kind != slurm.EditRequeue || s.wasChangedAfterReread || s.ledgerRow != nil && s.oracle.isRecall(s.job, s.ledgerRow.Before.Stop) {
		return ""
	}
	if ran := s.now.Sub(s.job.Start); ran < s.budgets.Quantum {
		return fmt.Sprintf("it ran %v, %v are its own", ran, s.budgets.Quantum)
	}
	for _, x := range s.oracle.stops {
		if ago := s.now.Sub(x.sentAt); x.jobID == s.job.ID && ago < s.budgets.Cooldown && !s.lostSpans.has(x.sentAt) {
			return fmt.Sprintf("it was stopped %v ago", ago)
		}
	}
	return ""
}

// I8: victims only if the named beneficiary would then fit, and is expected to gain
// several times the work lost.
func checkBeneficiary(s *sendContext) string {
	if s.Edit.Kind != slurm.EditRequeue || s.wasChangedAfterReread || s.ledgerRow == nil {
		return ""
	}
	if s.ledgerRow.Before.Stop == nil {
		return "the ledger does not say for whom"
	}
	to := s.ledgerRow.Before.Stop.Beneficiary
	if to == s.job.ID {
		return "" // it moves
	}
	b := s.oracle.actualJob(to)
	switch {
	case b == nil || !b.IsPending() || b.IsHeld:
		if b == nil || !s.wasChangedSinceReread(b) {
			return fmt.Sprintf("it is for job %d, which does not wait", to)
		}
		return ""
	case b.TimeLimit.Seconds()*float64(max(askedGPUCount(b), 1)) < s.budgets.GainFactor*lostGPUSeconds(s.job):
		return fmt.Sprintf("job %d can gain %v on %d GPUs", to, b.TimeLimit, max(askedGPUCount(b), 1)) // on shards of ours: its own one
	}
	return s.checkBeneficiaryFits(b, to)
}

// checkBeneficiaryFits says why the job would not fit once its victims are gone, by what Slurm was
// when the daemon looked.
func (s *sendContext) checkBeneficiaryFits(b *slurm.Job, to int64) string {
	free := s.freeGPUs(b, to, func(string) bool { return true })
	if need := askedGPUCount(b); free < need {
		return fmt.Sprintf("job %d wants %d GPUs, %d would be free", to, need, free)
	}
	return ""
}

// isForPartitionOf reports whether the job that the stop is for waits in a partition of the other.
func (s *sendContext) isForPartitionOf(other *slurm.Job) bool {
	if s.ledgerRow == nil || s.ledgerRow.Before.Stop == nil {
		return true
	}
	to := s.SentBy.TrueView.Job(s.ledgerRow.Before.Stop.Beneficiary)
	isOfOther := func(partition string) bool { return slices.Contains(other.Partitions, partition) }
	return to == nil || slices.ContainsFunc(to.Partitions, isOfOther)
}

// victims are the jobs stopped in this cycle for the same job, as they were.
func (s *sendContext) victims(to int64) []slurm.Job {
	var out []slurm.Job
	all := s.oracle.ledger.recentRows()
	for i := range all {
		in := &all[i]
		isMade := in.State != bridge.IntentVoid && in.State != bridge.IntentFailed
		if !isMade || in.Cycle != s.ledgerRow.Cycle || in.Before.Stop == nil || in.Before.Stop.Beneficiary != to {
			continue
		}
		if j := s.SentBy.TrueView.Job(in.Edit.Run.Job); j != nil {
			out = append(out, *j)
		}
	}
	return out
}

// heldGPUCount is what a running job holds.
func heldGPUCount(j *slurm.Job) int { return j.AllocatedTRES.GPUCount() }

// askedGPUCount is how many GPUs a job wants.
func askedGPUCount(j *slurm.Job) int { return j.RequestedTRES.GPUCount() }

// askedGPUType is the type of GPU that the job asks for on a node, "": any.
func askedGPUType(j *slurm.Job) string {
	if list := j.GresPerNode.List; len(list) == 1 {
		return list[0].Type
	}
	return ""
}

// lostGPUSeconds is what a stop of the job costs, in GPU seconds: jobs that opted in say five
// seconds.
func lostGPUSeconds(j *slurm.Job) float64 { return 5 * float64(heldGPUCount(j)) }

// I9: no pair preempts each other within two quanta.
func checkNoPingPong(s *sendContext) string {
	if s.Edit.Kind != slurm.EditRequeue || s.ledgerRow == nil || s.ledgerRow.Before.Stop == nil {
		return ""
	}
	to := s.ledgerRow.Before.Stop.Beneficiary
	for _, x := range s.oracle.stops {
		if x.jobID == to && x.beneficiary == s.job.ID && to != s.job.ID && s.now.Sub(x.sentAt) < 2*s.budgets.Quantum && !s.lostSpans.has(x.sentAt) {
			return fmt.Sprintf("job %d was stopped for it %v ago", to, s.now.Sub(x.sentAt))
		}
	}
	return ""
}

// I22: no job is stopped while a job of the partition that another was stopped for
// has not started three intervals after that took effect, for half an hour at most.
func checkNoFutileStop(s *sendContext) string {
	if s.Edit.Kind != slurm.EditRequeue || s.IsLate {
		return ""
	}
	now := s.SentBy.TrueView.At
	for i := range s.oracle.stops {
		x := &s.oracle.stops[i]
		b, v := s.SentBy.TrueView.Job(x.beneficiary), s.SentBy.TrueView.Job(x.jobID)
		since := now.Sub(x.carriedOutAt)
		switch {
		case b != nil && !s.isForPartitionOf(b):
		case b == nil || !b.IsPending() || b.IsHeld || b.Restarts != x.beneficiaryRestarts || x.beneficiary == x.jobID || s.lostSpans.has(x.sentAt):
		case since <= 4*site.CycleInterval || s.now.Sub(x.sentAt) >= 30*time.Minute-s.budgets.Skew: // a cycle to see that it took effect; clocks differ
		case v != nil && v.HasFlag("COMPLETING") && since <= 10*time.Minute:
		default:
			return fmt.Sprintf("job %d was stopped for job %d %v ago, which has not started (%s)", x.jobID, x.beneficiary, since, b.Reason)
		}
	}
	return ""
}
