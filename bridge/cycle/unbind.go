package cycle

import (
	"context"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

// boundFor is how old a node list of ours gets while its partition is in doubt:
// longer than a job takes to start, and than a doubt that passes.
const boundFor = 3 * time.Minute

// unbind gives back the node lists of partitions for which nothing is pushed
// because of a doubt that is not about what Slurm shows: a policy that fails, a
// plan that turns everything over, edits without effect, people who change what
// we set. Nobody would take them back otherwise, since a daemon that leads keeps
// the timer from it.
func (l *Loop) unbind(ctx context.Context, f *facts, r *Report) {
	if l.warm <= l.Warmup || push.Stopped(l.StopFile) || !slices.ContainsFunc(r.Doubts, ours) ||
		slices.ContainsFunc(r.Doubts, func(d bridge.Doubt) bool { return !ours(d) }) {
		return
	}
	var edits []slurm.Edit
	for _, e := range ledger.Undo(f.Intents, f.View, f.View.At) {
		in := f.Book.Standing(e.Run, e.Kind.Field(), f.View.At)
		if actuator.Of(e.Kind).Field.Outlives == actuator.NotAtAll && in != nil && l.Now().Sub(in.Sent) > boundFor &&
			silent(r, f.View.Job(e.Run.Job)) {
			edits = append(edits, e)
		}
	}
	if len(edits) == 0 {
		return
	}
	planned, err := l.Journal.Intend(ctx, nil, ledger.Undoing(f.Book, f.View, l.Config.Name, l.leader.Epoch, edits))
	if err != nil {
		r.doubt("journal", err)
		return
	}
	p := push.Pusher{Ports: l.Ports(), View: f.View, Book: f.Book, May: l.MayPush}
	sent, err := p.Push(ctx, planned)
	if r.Intents = append(r.Intents, sent...); err != nil {
		r.doubt("push", err)
	}
}

// ours reports whether the doubt is about us and not about what Slurm shows.
func ours(d bridge.Doubt) bool {
	switch d.Cause {
	case "policy", "effect", "foreign":
		return true
	case "gate I13", "gate I14":
		return false
	}
	return strings.HasPrefix(d.Cause, "gate ")
}

// silent reports whether nothing is pushed for the job's partition.
func silent(r *Report, j *slurm.Job) bool {
	return !slices.ContainsFunc(r.Evaluations, func(t Evaluation) bool { return t.Send && j.In(t.Partition.Name) })
}
