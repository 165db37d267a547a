package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/judge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/missing"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

// judgeView says whether the view is believed, before anything follows from it, and
// reads the ledger. What lists leave out is asked about one by one.
func (l *Loop) judgeView(ctx context.Context, f bridge.Facts, m Memory, r *Report) (bridge.Facts, Memory, []bridge.Doubt) {
	from := l.Now()
	in, err := l.newJudgeInput(ctx, f.View, m.Reference)
	if err != nil {
		return f, m, newDoubts(bridge.CauseHistory, err)
	}
	verdict := judge.JudgeClocks(in)
	if len(verdict.Doubts) == 0 {
		if f.Intents, err = push.ReadRecentIntents(ctx, l.Journal, f.View.Cluster, f.View.At); err != nil {
			return f, m, newDoubts(bridge.CauseJournal, err)
		}
		in.Answers, in.HiddenReason = lookUpMissing(ctx, l.Cluster, f, m.Reference)
		verdict = judge.JudgeView(in)
	}
	m.Reference = m.Reference.afterView(&in, verdict)
	doubts := doubtsFromVerdict(verdict)
	if len(verdict.Doubts) > 0 {
		return f, m, doubts
	}
	r.addDoubts(doubts)
	l.Metrics.observeStep("judge", l.Now().Sub(from))
	return f, m, nil
}

// newJudgeInput gathers the clocks.
func (l *Loop) newJudgeInput(ctx context.Context, v *slurm.View, ref ViewReference) (judge.Input, error) {
	base, err := l.History.Clock(ctx)
	if err != nil {
		return judge.Input{}, fmt.Errorf("reading the database's clock: %w", err)
	}
	now := l.Now()
	taken := v.ReadAt
	if taken.IsZero() {
		taken = now
	}
	g := &l.Budgets
	return judge.Input{
		Config: judge.Config{MaxClockSkew: g.Skew, VanishPercent: g.VanishPercent, VanishFloor: g.VanishFloor, ShrinkPercent: g.ShrinkPercent},
		View:   v, LastGoodView: ref.View, PolledAt: taken, Now: now, DatabaseTime: base, ManyGonePolls: ref.ManyGonePolls,
	}, nil
}

// lookUpMissing asks about what the lists leave out: jobs and nodes of the last good
// view, jobs in which something of ours may stand, nodes on which jobs run.
func lookUpMissing(
	ctx context.Context, c bridge.Cluster, f bridge.Facts, ref ViewReference,
) (answers judge.Answers, hidden string) {
	q, v := missing.NewLookups(c), f.View
	q.DropUnproven(ctx, v)
	for _, id := range v.GoneJobs {
		q.AnswerByJob[id] = judge.AnswerGone
	}
	jobs, nodes := judge.MissingJobs(v, ref.View), judge.MissingNodes(v, ref.View)
	for _, id := range jobs {
		if ref.Answers.AnswerByJob[id] == judge.AnswerGone {
			q.AnswerByJob[id] = judge.AnswerGone
		}
	}
	for _, name := range nodes {
		if ref.Answers.AnswerByNode[name] == judge.AnswerGone {
			q.AnswerByNode[name] = judge.AnswerGone
		}
	}
	q.LookUpNodes(ctx, nodes)
	q.LookUpJobs(ctx, jobs)
	q.LookUpJobs(ctx, ledger.AbsentJobIDs(f.Intents, v))
	v.AddGoneJobs(q.GoneJobs()...)
	return q.Answers, q.HiddenReason
}

// doubtsFromVerdict are the doubts and cautions of a verdict.
func doubtsFromVerdict(v judge.Verdict) []bridge.Doubt {
	var out []bridge.Doubt
	for _, why := range slices.Concat(v.Doubts, v.Cautions) {
		out = append(out, bridge.Doubt{Cause: bridge.CauseUnbelievedView, Err: errors.New(why)})
	}
	return out
}

// afterView is what the next view is compared with.
func (ref ViewReference) afterView(in *judge.Input, verdict judge.Verdict) ViewReference {
	switch {
	case len(verdict.Doubts) == 0:
		return ViewReference{View: in.View}
	case verdict.ForgetLastGood:
		return ViewReference{}
	case in.Answers.AnswerByJob == nil:
		return ref // nothing was asked
	case verdict.AreManyGone:
		ref.ManyGonePolls++
	default:
		ref.ManyGonePolls = 0
	}
	ref.Answers = in.Answers
	return ref
}
