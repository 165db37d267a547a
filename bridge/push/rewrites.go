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

const (
	// MaxRewrittenJobs is how many jobs may come out of our edits with other fields changed
	// before a push ends. The first may have been changed by its owner at that very moment.
	MaxRewrittenJobs = 2
	// editsPerLook is how many edits that Slurm accepted go by from one that is looked at
	// right afterwards to the next. The first one of a push always is.
	editsPerLook = 10
)

// looksForRewrite reports whether the job is read once more right after the edit: a plugin
// of Slurm's that sees our change may change more of the job than we did.
func (p *Pusher) looksForRewrite(in *bridge.Intent) bool {
	row := actuator.EditKindRowOf(in.Edit.Kind)
	if !p.LooksForRewrites || in.State != bridge.IntentAcked || row.TakesTwoCalls || row.StopTiming != actuator.NoStop {
		return false
	}
	p.acceptedCount++
	return p.acceptedCount%editsPerLook == 1 || p.RewrittenJobCount+p.rewriteCount > 0
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
	what := rewrittenField(in.Edit, before, &after)
	if what == "" {
		return nil
	}
	p.rewriteCount++
	in.Before.Rewritten = fmt.Sprintf("when we changed its %s, %s", in.Edit.Kind.Field(), what)
	return p.updateIntent(ctx, in)
}

// checkRewrites says why the push must end: it rewrote a job, and with those of before they
// are too many.
func (p *Pusher) checkRewrites() error {
	if p.rewriteCount == 0 || p.RewrittenJobCount+p.rewriteCount < MaxRewrittenJobs {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrPushHalted, ErrJobsRewritten)
}

// rewrittenField says which field of the job, other than the one that was written, the edit changed.
func rewrittenField(e slurm.Edit, before, after *slurm.Job) string {
	if what, was, is := changedDemandField(before, after); what != "" {
		return fmt.Sprintf("its %s became %q, it was %q", what, is, was)
	}
	if after.IsHeld && !before.IsHeld {
		return "it was held"
	}
	field := e.Kind.Field()
	if field != slurm.FieldNice && field != slurm.FieldPriority && after.Nice != before.Nice {
		return fmt.Sprintf("its nice became %d, it was %d", after.Nice, before.Nice)
	}
	if field != slurm.FieldRequiredNodes && after.RequiredNodes.Text != before.RequiredNodes.Text {
		return fmt.Sprintf("its required nodes became %q, they were %q", after.RequiredNodes.Text, before.RequiredNodes.Text)
	}
	if field != slurm.FieldExcludedNodes && after.ExcludedNodes.Text != before.ExcludedNodes.Text {
		return fmt.Sprintf("its excluded nodes became %q, they were %q", after.ExcludedNodes.Text, before.ExcludedNodes.Text)
	}
	return ""
}
