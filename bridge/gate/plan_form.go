package gate

import (
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// maxDecisions bounds a plan, maxWhyBytes the bytes of one reason.
const (
	maxDecisions = 2_000_000
	maxWhyBytes  = 4096
)

// checkPlanForm says why the plan cannot be read as decisions about the snapshot
// (I19). Nothing of such a plan is used.
func checkPlanForm(p *policy.Plan, s *policy.Snapshot) *denial {
	switch {
	case p == nil:
		return deny(invariant.SoundPlan, "there is no plan")
	case p.SnapshotSeq != s.Seq:
		return deny(invariant.SoundPlan, "the plan was made from snapshot %d, not %d", p.SnapshotSeq, s.Seq)
	case len(p.Decisions) > maxDecisions:
		return deny(invariant.SoundPlan, "the plan has %d decisions, the most is %d", len(p.Decisions), maxDecisions)
	case len(p.Decisions) != len(s.Jobs):
		return deny(invariant.SoundPlan, "the plan decides on %d jobs, there are %d", len(p.Decisions), len(s.Jobs))
	}
	taken := make(map[int]policy.JobID, len(p.Decisions))
	for i := range p.Decisions {
		d, j := &p.Decisions[i], &s.Jobs[i]
		if d.Job != j.ID {
			return deny(invariant.SoundPlan, "decision %d is about job %d, want job %d: one per job, sorted", i+1, d.Job, j.ID)
		}
		if n := checkDecisionForm(d, j); n != nil {
			return n
		}
		if other, ok := taken[d.Rank]; ok {
			return deny(invariant.SoundPlan, "jobs %d and %d share rank %d", other, d.Job, d.Rank)
		}
		taken[d.Rank] = d.Job
	}
	return nil
}

func checkDecisionForm(d *policy.Decision, j *policy.Job) *denial {
	switch {
	case !verbApplies(d.Verb, j):
		return deny(invariant.SoundPlan, "job %d is %s: it cannot %q", d.Job, j.State, d.Verb)
	case d.Rank < 1:
		return deny(invariant.SoundPlan, "job %d has rank %d; 1 is first", d.Job, d.Rank)
	case d.GPUs < 0:
		return deny(invariant.SoundPlan, "job %d would run on %d GPUs", d.Job, d.GPUs)
	case d.Given != (policy.Amounts{}):
		return deny(invariant.SoundPlan, "job %d would get %v: nothing here changes cores or memory of jobs", d.Job, d.Given)
	case len(d.Why) > maxWhyBytes:
		return deny(invariant.SoundPlan, "job %d: its reason has %d bytes, the most is %d", d.Job, len(d.Why), maxWhyBytes)
	}
	for _, slot := range d.On {
		if slot.Count < 1 || slot.Node == "" {
			return deny(invariant.SoundPlan, "job %d would get %d devices of node %q", d.Job, slot.Count, slot.Node)
		}
	}
	return nil
}

// verbApplies reports whether the verb makes sense for a job in its state.
func verbApplies(v policy.Verb, j *policy.Job) bool {
	switch v {
	case policy.Start, policy.Wait, policy.Hold:
		return !j.HoldsGPUs()
	case policy.Keep, policy.Stop, policy.Move:
		return j.HoldsGPUs()
	}
	return v == policy.Resize
}
