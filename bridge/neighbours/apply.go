// Package neighbours judges by what probes see whether jobs that share GPUs hurt each other, says which of
// them is to leave, and for how long they are kept apart. It is pure.
//
// What can be seen of a job beside others is little: its own reports of its speed, where it makes any; the share of the
// time in which its processes compute, where the driver tells processes apart; and how full the memory is. The
// first is the strongest. A job of which none is known is never found to be hurt.
package neighbours

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// Apply returns the plan with the separations: who is to leave is stopped for the job that is hurt, unless the plan
// takes it from its GPUs anyway, and where no job may be stopped those concerned are told. The plan itself is not changed.
func Apply(p *policy.Plan, list []bridge.Separation) *policy.Plan {
	if p == nil || len(list) == 0 {
		return p
	}
	out := p.Clone()
	for i := range list {
		for _, id := range list[i].Jobs {
			if d := decisionToKeep(out, policy.JobID(id)); d != nil {
				applyTo(d, &list[i])
			}
		}
	}
	return out
}

// decisionToKeep returns the decision on a job that is to run on; nil where there is none.
func decisionToKeep(p *policy.Plan, id policy.JobID) *policy.Decision {
	if d := p.Decision(id); d != nil && d.Verb == policy.Keep {
		return d
	}
	return nil
}

func applyTo(d *policy.Decision, x *bridge.Separation) {
	switch {
	case x.Leaves == int64(d.Job):
		d.Verb, d.On, d.GPUs, d.StoppedFor = policy.Stop, nil, 0, policy.JobID(x.For)
		d.Why = "leaves the GPU that it shares: " + x.Why
	case x.Leaves == 0:
		d.Why = "runs on beside its neighbours: " + x.Why + "; none of them is stopped: " + x.KeptReason
	default:
		d.Why = "runs on; a neighbour is to leave its GPU: " + x.Why
	}
}

// ApartByJob returns which jobs are kept apart at the time: those of which one was stopped for the other, because they
// shared a GPU, less than the span ago. Stops that were not sent, or that Slurm refused, separate nobody.
func ApartByJob(intents []bridge.Intent, now time.Time, span time.Duration) map[int64][]policy.JobID {
	out := map[int64][]policy.JobID{}
	for i := range intents {
		in := &intents[i]
		stop := in.RecentStop(now, span)
		if stop == nil || !stop.Apart {
			continue
		}
		out[in.Edit.Run.Job] = append(out[in.Edit.Run.Job], policy.JobID(stop.Beneficiary))
	}
	for id := range out {
		slices.Sort(out[id])
		out[id] = slices.Compact(out[id])
	}
	return out
}
