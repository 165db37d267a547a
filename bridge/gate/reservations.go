package gate

import (
	"time"

	"fairbridge/bridge/invariant"
	"fairbridge/bridge/restart"
	"fairbridge/policy"
)

// maxReservationsAge is how long what is known of reservations is good enough to stop
// a job by.
const maxReservationsAge = 10 * time.Minute

// checkEndsBeforeReservation says why a run from a moment on reaches into a time in which one of
// the nodes is set aside (I21).
func (f *facts) checkEndsBeforeReservation(p *policy.Job, on policy.Alloc, from time.Time) *denial {
	for _, name := range on.Nodes() {
		n := f.Snapshot.Node(name)
		if n == nil {
			continue
		}
		if w, _, _ := n.WindowDuring(from, p.Limit); w != nil {
			return deny(invariant.ReservedNodes, "with its limit of %v it reaches into %v on node %s at %s", p.Limit, w, name, formatTime(w.From))
		}
	}
	return nil
}

// earliestStartAfterStop is when the job that another is stopped for could start, as far as its limit counts: a
// requeue takes effect within two intervals.
func (f *facts) earliestStartAfterStop() time.Time { return f.clusterTime.Add(2 * f.CycleInterval) }

// checkBeneficiaryStarts says why the job that a stop group is stopped for would not start (I8,
// I21).
func (g *stopGate) checkBeneficiaryStarts(x stopGroup) *denial {
	if v := g.View; v.StaleReservationsReason != "" && v.At.Sub(v.ReservationsAt) > maxReservationsAge {
		return deny(invariant.ReservedNodes, "it is not known which nodes are set aside: %s", v.StaleReservationsReason)
	}
	to, d := g.snapshotJob(int64(x.beneficiary)), g.decisionForJob(x.beneficiary)
	return g.checkEndsBeforeReservation(to, d.On, g.earliestStartAfterStop())
}

// checkCanRestart says why Slurm would not let a job that is stopped start again, with the GPUs it is to have
// then; 0: with those it has.
func (f *facts) checkCanRestart(p *policy.Job, gpus int) *denial {
	c := restart.Case{
		View: f.View, Snapshot: f.Snapshot, Job: f.View.Job(int64(p.ID)), Planned: p,
		From: f.earliestStartAfterStop(), GPUs: gpus,
	}
	if why := restart.Reason(c); why != "" {
		return deny(invariant.CanRestart, "it could not start again: %s", why)
	}
	return nil
}

// checkCanResume is checkCanRestart for a job that is to have another number of GPUs; 0: it keeps its number, for which
// checkStoppable asks.
func (f *facts) checkCanResume(p *policy.Job, gpus int) *denial {
	if gpus == 0 {
		return nil
	}
	return f.checkCanRestart(p, gpus)
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
