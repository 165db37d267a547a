package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
)

// verdict is what becomes of an entry.
type verdict struct {
	verb       policy.Verb
	rank       int           // in the line, from 0
	isOverdue  bool          // it waited longer than the Rules let it
	overdueBy  time.Duration // by how much
	stoppedFor policy.JobID  // see Decision.StoppedFor
	tier       int
	reason     string
}

func (e *Entry) setVerdict(v policy.Verb, why string) {
	e.verdict.verb, e.verdict.reason = v, why
}

// reasonUnlessOmitted gives the reason, unless the snapshot omits reasons.
func (r *Round) reasonUnlessOmitted(why func() string) string {
	if r.OmitReasons {
		return ""
	}
	return why()
}

// newPlan writes the verdicts down.
func (r *Round) newPlan(name string) *policy.Plan {
	plan := &policy.Plan{SnapshotSeq: r.Seq, Policy: name, Decisions: r.Scratch.NewDecisions(len(r.Entries))}
	for _, e := range r.Entries {
		plan.Decisions = append(plan.Decisions, policy.Decision{})
		r.setDecision(&plan.Decisions[len(plan.Decisions)-1], e)
	}
	if byJob := func(a, b policy.Decision) int { return cmp.Compare(a.Job, b.Job) }; !slices.IsSortedFunc(plan.Decisions, byJob) {
		slices.SortFunc(plan.Decisions, byJob)
	}
	return plan
}

// isRanked reports whether the job's rank has a part in its verdict: the job runs, or could
// be started now.
func (r *Round) isRanked(e *Entry) bool {
	return e.verdict.verb == policy.Start || r.MayRun(e)
}

func (r *Round) setDecision(d *policy.Decision, e *Entry) {
	v := &e.verdict
	*d = policy.Decision{
		Job: e.ID, Verb: v.verb, Rank: v.rank + 1, GPUs: cmp.Or(e.WantedDeviceCount, e.DeviceCount()),
		StoppedFor: v.stoppedFor, Why: v.reason,
	}
	switch v.verb {
	case policy.Keep:
		d.On, d.GPUs = e.On, e.DeviceCount()
	case policy.Stop:
		d.GPUs = e.DeviceCount()
	case policy.Start, policy.Resize, policy.Move:
		d.On, d.Beside = e.PlannedAlloc, e.SharesWith
		if ask := e.Ask.Resized(d.GPUs); ask.WithAmounts(e.WantedAmounts).Amounts() != ask.Amounts() {
			d.Given = e.WantedAmounts
		}
	}
	unplaced := v.verb == policy.Start && e.UnplaceableReason != ""
	if unplaced {
		d.On, d.Given = nil, policy.Amounts{} // the place found is a guess, only to count what is left
	}
	if r.OmitReasons {
		return
	}
	if unplaced {
		d.Why = fmt.Sprintf("starts where Slurm finds %v for it: %s", e.GangAsk().Describe(), e.UnplaceableReason)
	}
	if v.verb == policy.Wait && e.UnplaceableReason != "" {
		d.Why += "; its nodes are left to Slurm: " + e.UnplaceableReason
	}
	if v.isOverdue {
		d.Why += "; it waited longer than a job should, and goes before all that did not"
	}
	if e.Note != "" && r.isRanked(e) {
		d.Why += "; its rank: " + e.Note
	}
}
