package cycle

import (
	"context"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

// maxPinAge is how old a node list of ours gets while its partition is in doubt:
// longer than a job takes to start, and than a doubt that passes.
const maxPinAge = 3 * time.Minute

// unpushedEdits give back what nothing is pushed for any more: all of it in partitions that
// are demoted, what operators want in jobs that are left alone; while a doubt that is not about what Slurm shows keeps us from pushing, node lists.
// A stop that stood when the cycle began is a doubt that is not ours: areAllDoubtsOurs sees it too. One that came
// since is seen here, and by CheckMayPush before each call.
func unpushedEdits(l *Loop, s *cycleState, m Memory, r *Report) []slurm.Edit {
	switch {
	case m.GoodViews <= l.WarmupPolls || m.checkStopped(l.StopFile, l.StopSwitch) != nil:
		return nil
	case len(r.Doubts) == 0:
		return s.unwantedEdits
	case areAllDoubtsOurs(r.Doubts):
		return unpushedPins(s, l.Now(), r)
	}
	return nil
}

// releaseUnpushed sends as many of them as the budget has left.
func (l *Loop) releaseUnpushed(ctx context.Context, s *cycleState, m Memory, r *Report) {
	f, edits := &s.facts, unpushedEdits(l, s, m, r)
	left := gate.EditBudget(&l.Budgets, f.View, l.Interval) - sumBudgetCosts(r.Intents)
	if edits = edits[:min(len(edits), max(left, 0))]; len(edits) == 0 {
		return
	}
	planned, err := l.Journal.StoreIntents(ctx, nil, ledger.NewUndoIntents(s.book, f.View, l.Config.ClusterName, l.leader.Epoch, edits))
	if err != nil {
		r.addDoubt(bridge.CauseJournal, err)
		return
	}
	p := push.Pusher{Ports: l.PushPorts(), View: f.View, IntentBook: s.book, CheckMayCall: l.CheckMayPush}
	sent, err := p.Push(ctx, planned)
	if r.Intents = append(r.Intents, sent...); err != nil {
		r.addDoubt(bridge.CausePushEndedEarly, err)
	}
}

// unpushedPins give back the node lists of partitions for which nothing is pushed
// because of a doubt that is not about what Slurm shows: a policy that fails, a
// plan that turns everything over, edits without effect, people who change what
// we set, a plugin that changes more than we do. Nothing would take them back otherwise, since a daemon that leads keeps
// the timer from it.
func unpushedPins(s *cycleState, now time.Time, r *Report) (edits []slurm.Edit) {
	f := &s.facts
	for _, e := range ledger.UndoEdits(f.Intents, f.View, f.View.At) {
		in := s.book.StandingIntent(e.Run, e.Kind.Field(), f.View.At)
		if actuator.EditKindRowOf(e.Kind).Field.OutliveLimit == actuator.OutlivesBriefly && in != nil && now.Sub(in.Sent) > maxPinAge &&
			isNothingPushedFor(r, f.View.Job(e.Run.Job)) {
			edits = append(edits, e)
		}
	}
	return edits
}

// areAllDoubtsOurs reports whether there are doubts, and all of them are about us and not
// about what Slurm shows.
func areAllDoubtsOurs(doubts []bridge.Doubt) bool {
	return len(doubts) > 0 && !slices.ContainsFunc(doubts, func(d bridge.Doubt) bool { return !isOurDoubt(d.Cause) })
}

func isOurDoubt(c bridge.Cause) bool {
	switch c {
	case bridge.CausePolicy, bridge.CauseNoEffect, bridge.CauseForeignChanges, bridge.CauseRewrites:
		return true
	}
	id, ok := c.GateInvariant()
	return ok && id != invariant.FreshView && id != invariant.LeadingOnly
}

// isNothingPushedFor reports whether nothing is pushed for the job's partition.
func isNothingPushedFor(r *Report, j *slurm.Job) bool {
	return !slices.ContainsFunc(r.PartitionResults, func(e PartitionResult) bool { return e.MaySendEdits && j.IsInPartition(e.Partition.Name) })
}
