package cycle

import (
	"context"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/diff"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Evaluation is what a cycle makes of one partition.
type Evaluation struct {
	Partition bridge.Partition
	Snapshot  *policy.Snapshot
	Own       *policy.Plan     // as the policy made it; nil when it failed
	Plan      *policy.Plan     // as the gate lets it through; nil when the policy failed
	Refused   []bridge.Refusal // what the gate turned down
	Doubts    []bridge.Refusal // why nothing may be sent, whatever the mode
	Stops     []bridge.Stop    // the requeues let through, with their cost
	Warns     []bridge.Warn    // the warnings ahead of requeues let through
	Stuck     map[int64]string // jobs that did not start although that was decided, and what that means
	Pause     string           // why no job of the partition is stopped for now; "": somebody may be
	Edits     []slurm.Edit     // what should change in Slurm
	Send      bool             // the edits are to be sent: the mode pushes, and nothing is in doubt
	Err       error            // why there is no plan
	Took      map[string]time.Duration
}

// think decides for every partition. Nothing in it reads or changes the world.
func (l *Loop) think(ctx context.Context, f *facts, calm bool) []Evaluation {
	k := newLook(l, f, calm)
	var evaluations []Evaluation
	for _, p := range l.Partitions {
		if p.Mode == bridge.Off {
			continue
		}
		t := Evaluation{Partition: p, Took: map[string]time.Duration{}}
		l.thinkOf(ctx, k, &t)
		evaluations = append(evaluations, t)
	}
	return evaluations
}

// decideTime is how long a policy may take; 0: as long as it likes.
func (l *Loop) decideTime() time.Duration {
	if l.Bare {
		return 0
	}
	return l.Interval / 4
}

// thinkOf decides for one partition. The policy gets a snapshot of its own:
// the gate judges by one that no policy could write to.
func (l *Loop) thinkOf(ctx context.Context, k *look, t *Evaluation) {
	var own *policy.Snapshot
	name := t.Partition.Name
	l.starts[name], t.Stuck = l.starts[name].seen(k.View, l.Interval)
	t.time(l.Now, "assemble", func() {
		t.Snapshot = k.assemble(t.Partition, t.Stuck)
		if own = t.Snapshot; !l.Bare {
			own = k.assemble(t.Partition, t.Stuck)
		}
	})
	var plan *policy.Plan
	t.time(l.Now, "decide", func() {
		plan, t.Err = l.guards[name].decide(ctx, own, l.decideTime())
	})
	if t.Err != nil {
		return
	}
	t.Own = plan
	t.time(l.Now, "gate", func() { k.plan(t, plan) })
	var edits []slurm.Edit
	t.time(l.Now, "diff", func() {
		edits = diff.Diff(diff.Input{
			Goal: actuator.Goal{
				Plan: t.Plan, Snapshot: t.Snapshot, View: k.View,
				Order: l.Order, Lease: l.Lease, Pin: l.Pin && k.Expires, Warns: t.Warns,
				Lever: actuator.LeverOf(l.Order.Lever, k.View), Old: l.Gate.MaxPending,
			},
			Book: k.Book, Mode: t.Partition.PlanMode(),
		})
	})
	t.time(l.Now, "gate edits", func() { k.edits(t, edits) })
	l.starts[name] = l.starts[name].next(t, k.View)
}

func (t *Evaluation) time(now func() time.Time, step string, f func()) {
	from := now()
	f()
	t.Took[step] = now().Sub(from)
}

// cycle returns the record of the evaluation, unsigned.
func (t *Evaluation) cycle(epoch int64) *bridge.Cycle {
	took := map[string]string{}
	for step, d := range t.Took {
		took[step] = d.String()
	}
	return &bridge.Cycle{
		Cluster: t.Snapshot.Cluster, Seq: t.Snapshot.Seq, Epoch: epoch, At: t.Snapshot.Now,
		Partition: t.Partition.Name, Mode: t.Partition.Mode, Policy: t.Partition.Policy, Params: t.Partition.Params,
		Plan: t.Plan, Refused: t.Refused, Took: took,
	}
}
