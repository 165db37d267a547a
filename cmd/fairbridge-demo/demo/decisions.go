package demo

import (
	"context"
	"fmt"
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// editKinds are the four kinds of decision, in the order of their harm.
var editKinds = []string{"order", "lease", "pin", "requeue"}

// editKindOf sorts what was changed in Slurm into the kinds; "" for what gives
// something back.
func editKindOf(e *slurm.Edit) string {
	switch {
	case e.Kind == slurm.EditPriority || e.Kind == slurm.EditSiteFactor || e.Kind == slurm.EditNice:
		return "order"
	case e.Kind == slurm.EditLease:
		return "lease"
	case e.Kind == slurm.EditRequireNodes && len(e.Nodes) > 0:
		return "pin"
	case e.Kind == slurm.EditRequeue:
		return "requeue"
	}
	return ""
}

// tookEffect reports whether Slurm said yes to it or a poll showed it.
func tookEffect(in *bridge.Intent) bool {
	return in.State == bridge.IntentAcked || in.State == bridge.IntentObserved || in.State == bridge.IntentExpired && !in.Sent.IsZero()
}

// decisionLog tells the first decision of each kind from the ledger.
type decisionLog struct {
	db               *stores.Stores
	cluster          string
	now              func() time.Time // in the cluster
	since            time.Time
	announcedIntents map[string]bool
	jobNameByID      map[int64]string // of jobs, by Slurm's number
	printf           func(format string, args ...any)
}

// announceNewIntents reads the ledger and tells what is new in it.
func (n *decisionLog) announceNewIntents(ctx context.Context, queue []queuedTask) error {
	for _, q := range queue {
		n.jobNameByID[q.JobID] = q.JobName
	}
	if len(n.announcedIntents) == len(editKinds) {
		return nil
	}
	list, err := n.db.Intents(ctx, n.cluster, n.now(), n.since)
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	for i := range list {
		in := &list[i]
		if kind := editKindOf(&in.Edit); kind != "" && !n.announcedIntents[kind] && tookEffect(in) {
			n.announcedIntents[kind] = true
			n.printf("  %-8s %s", kind, n.describeIntent(in))
		}
	}
	return nil
}

func (n *decisionLog) describeIntent(in *bridge.Intent) string {
	e := &in.Edit
	job := fmt.Sprintf("job %d", e.Run.Job)
	if name := n.jobNameByID[e.Run.Job]; name != "" {
		job += " (" + name + ")"
	}
	what := ""
	switch editKindOf(e) {
	case "order":
		what = fmt.Sprintf("%s gets %s %d", job, e.Kind, e.Value)
	case "lease":
		what = fmt.Sprintf("%s may not start before %s", job, e.Until.Local().Format(time.TimeOnly))
	case "pin":
		what = fmt.Sprintf("%s is to start on %s", job, slurm.CompressHosts(e.Nodes))
	case "requeue":
		what = fmt.Sprintf("%s is requeued", job)
	}
	if e.Why != "" {
		what += ": " + e.Why
	}
	return what
}

// countEffects returns how many changes of each kind took effect.
func (n *decisionLog) countEffects(ctx context.Context) (map[string]int, error) {
	list, err := n.db.Intents(ctx, n.cluster, n.now(), n.since)
	if err != nil {
		return nil, fmt.Errorf("reading the ledger: %w", err)
	}
	counts := map[string]int{}
	for i := range list {
		if kind := editKindOf(&list[i].Edit); kind != "" && tookEffect(&list[i]) {
			counts[kind]++
		}
	}
	return counts, nil
}
