package cycle

import (
	"context"
	"errors"
	"fmt"

	"fairbridge/bridge/ask"
	"fairbridge/bridge/judge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

// reference is what views are compared with: the last one that was believed. It
// outlives polls that fail and views that are not believed.
type reference struct {
	good  *slurm.View   // nil: none
	asked judge.Answers // what Slurm said since of what was left out
	many  int           // views in a row that showed much gone
}

// believe judges the view, before anything follows from it. What lists leave
// out is asked about one by one. With believed false nothing may follow from the
// view; the doubts are in the report.
func (l *Loop) believe(ctx context.Context, f *facts, r *Report) (believed bool) {
	in, err := l.testimony(ctx, f.View)
	if err != nil {
		r.doubt("history", err)
		return false
	}
	verdict := judge.Clocks(in)
	if len(verdict.Doubts) == 0 {
		if f.Intents, err = push.ReadIntents(ctx, l.Journal, f.View.Cluster, f.View.At); err != nil {
			r.doubt("journal", err)
			return false
		}
		in.Answers = l.inquire(ctx, f)
		verdict = judge.View(in)
	}
	return l.ref.take(&in, verdict, r)
}

// testimony gathers the clocks.
func (l *Loop) testimony(ctx context.Context, v *slurm.View) (judge.Input, error) {
	base, err := l.History.Clock(ctx)
	if err != nil {
		return judge.Input{}, fmt.Errorf("reading the database's clock: %w", err)
	}
	now := l.Now()
	taken := v.Read
	if taken.IsZero() {
		taken = now
	}
	g := &l.Gate
	return judge.Input{
		Config: judge.Config{Skew: g.Skew, VanishPercent: g.VanishPercent, VanishFloor: g.VanishFloor, ShrinkPercent: g.ShrinkPercent},
		View:   v, Good: l.ref.good, Taken: taken, Now: now, Base: base, Many: l.ref.many,
	}, nil
}

// inquire asks about what the lists leave out: jobs and nodes of the last good
// view, jobs in which something of ours may stand, nodes on which jobs run.
func (l *Loop) inquire(ctx context.Context, f *facts) judge.Answers {
	q, v := ask.New(l.Cluster), f.View
	for _, id := range v.Gone {
		q.Jobs[id] = judge.Gone
	}
	jobs, nodes := judge.MissingJobs(v, l.ref.good), judge.MissingNodes(v, l.ref.good)
	for _, id := range jobs {
		if l.ref.asked.Jobs[id] == judge.Gone {
			q.Jobs[id] = judge.Gone
		}
	}
	for _, name := range nodes {
		if l.ref.asked.Nodes[name] == judge.Gone {
			q.Nodes[name] = judge.Gone
		}
	}
	q.AskNodes(ctx, nodes)
	q.AskJobs(ctx, jobs)
	q.AskJobs(ctx, ledger.Absent(f.Intents, v))
	v.AddGone(q.Gone()...)
	return q.Answers
}

// take keeps what a verdict teaches, and reports it.
func (ref *reference) take(in *judge.Input, verdict judge.Verdict, r *Report) (believed bool) {
	for _, d := range verdict.Doubts {
		r.doubt("view", errors.New(d))
	}
	for _, c := range verdict.Cautions {
		r.doubt("view", errors.New(c))
	}
	switch {
	case len(verdict.Doubts) == 0:
		*ref = reference{good: in.View}
		return true
	case verdict.Forget:
		*ref = reference{}
	case in.Answers.Jobs != nil: // else nothing was asked
		ref.asked = in.Answers
		if ref.many++; !verdict.Many {
			ref.many = 0
		}
	}
	return false
}
