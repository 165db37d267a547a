package push

import (
	"context"
	"errors"
	"fmt"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// ErrJobsRewritten ends a push because jobs lose values of their owners by our edits.
var ErrJobsRewritten = errors.New("jobs lose values of their owners when we change other fields (a job_submit plugin?)")

// editsPerLook is how many edits that Slurm accepted go by from one that is looked at
// right afterwards to the next. The first one of a push always is, and every one as long as
// an edit was lately seen to change more.
const editsPerLook = 10

// looksForRewrite reports whether the job is read once more right after the edit: a plugin
// of Slurm's that sees our change may change more of the job than we did.
func (p *Pusher) looksForRewrite(in *bridge.Intent) bool {
	if !p.LooksForRewrites || in.State != bridge.IntentAcked || !canShowRewrite(in) {
		return false
	}
	p.acceptedCount++
	return p.acceptedCount%editsPerLook == 1 || p.Rewrites.Any()
}

// canShowRewrite reports whether the edit is of a kind that is looked at.
func canShowRewrite(in *bridge.Intent) bool {
	row := actuator.EditKindRowOf(in.Edit.Kind)
	return !row.TakesTwoCalls && row.StopTiming == actuator.NoStop
}

// noteRewrite notes in the ledger what else the edit has changed of the job, which was read
// right before it. An error means that the journal failed.
func (p *Pusher) noteRewrite(ctx context.Context, in *bridge.Intent, before *slurm.Job) error {
	if !p.looksForRewrite(in) {
		return nil
	}
	after, err := p.Cluster.RereadJob(ctx, before.ID)
	if err != nil || after.State != before.State || !after.CurrentRun().IsSameRun(before.CurrentRun()) {
		return nil // it started, or ended; the next poll tells
	}
	field, what := rewrittenField(in.Edit, before, &after)
	if field != "" {
		p.sawRewrite = true
		in.Before.RewrittenField, in.Before.Rewritten = field, fmt.Sprintf("when we changed its %s, %s", in.Edit.Kind.Field(), what)
	}
	p.Rewrites.Add(in)
	if field == "" {
		return nil
	}
	return p.updateIntent(ctx, in)
}

// checkRewrites says why the push must end: it rewrote a job, and with those of before that is
// no chance any more.
func (p *Pusher) checkRewrites() error {
	if !p.sawRewrite || !p.Rewrites.IsSystematic() {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrPushHalted, ErrJobsRewritten)
}

// rewrittenField says which field of the job, other than the one that was written, the edit
// changed, and how; field is "" when none was.
func rewrittenField(e slurm.Edit, before, after *slurm.Job) (field, change string) {
	written, was := e.Kind.Field(), *before
	if written == slurm.FieldGPUs {
		was.RequestedTRES = after.RequestedTRES
	}
	if what, was, is := changedDemandField(&was, after); what != "" {
		return what, fmt.Sprintf("its %s became %q, it was %q", what, is, was)
	}
	if after.IsHeld && !before.IsHeld {
		return "hold", "it was held"
	}
	if written != slurm.FieldNice && written != slurm.FieldPriority && after.Nice != before.Nice {
		return "nice", fmt.Sprintf("its nice became %d, it was %d", after.Nice, before.Nice)
	}
	if written != slurm.FieldRequiredNodes && after.RequiredNodes.Text != before.RequiredNodes.Text {
		return "required nodes", fmt.Sprintf("its required nodes became %q, they were %q", after.RequiredNodes.Text, before.RequiredNodes.Text)
	}
	if written != slurm.FieldExcludedNodes && after.ExcludedNodes.Text != before.ExcludedNodes.Text {
		return "excluded nodes", fmt.Sprintf("its excluded nodes became %q, they were %q", after.ExcludedNodes.Text, before.ExcludedNodes.Text)
	}
	return "", ""
}

const (
	// MaxRewrittenJobs is how many jobs may come out of our edits with the same other field
	// changed before it is taken for a plugin's doing. One may have been changed by its owner
	// at that very moment.
	MaxRewrittenJobs = 2
	// A plugin changes the jobs it means to again and again, people who happen to change a job
	// while we do change one of many. So two jobs count as much as three only where one of so
	// many edits that were looked at since the first showed it.
	editsPerRewrite = 4
)

// RewriteEvidence is what was lately seen of edits that changed more of their jobs than the
// field they write. The zero value has none.
type RewriteEvidence struct {
	jobCountByField map[string]int // of jobs that lost this other field
	looksSinceFirst map[string]int // edits looked at since the first of them
}

// NewRewriteEvidence gathers it from intents, by ID. Since the first that changed more of its
// job, every edit that Slurm accepted was looked at.
func NewRewriteEvidence(intents []bridge.Intent) (e RewriteEvidence) {
	for i := range intents {
		in := &intents[i]
		wasLookedAt := e.Any() && in.StoodInSlurm() && !in.Sent.IsZero() && canShowRewrite(in)
		if wasLookedAt || in.Before.Rewritten != "" {
			e.Add(in)
		}
	}
	return e
}

// Any reports whether there is any, so that every edit is to be looked at.
func (e *RewriteEvidence) Any() bool { return len(e.jobCountByField) > 0 }

// Add adds an edit that was looked at.
func (e *RewriteEvidence) Add(in *bridge.Intent) {
	for field := range e.jobCountByField {
		e.looksSinceFirst[field]++
	}
	if in.Before.Rewritten == "" {
		return
	}
	if e.jobCountByField == nil {
		e.jobCountByField, e.looksSinceFirst = map[string]int{}, map[string]int{}
	}
	e.jobCountByField[in.Before.RewrittenField]++
}

// IsSystematic reports whether so many jobs lost the same field, and so many of those that were
// looked at, that their owners' own changes do not explain it.
func (e *RewriteEvidence) IsSystematic() bool {
	for field, jobs := range e.jobCountByField {
		often := (jobs-1)*editsPerRewrite >= e.looksSinceFirst[field]
		if jobs > MaxRewrittenJobs || jobs == MaxRewrittenJobs && often {
			return true
		}
	}
	return false
}
