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
