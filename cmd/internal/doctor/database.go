package doctor

import (
	"context"
	"fmt"
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

// Database looks at Postgres and the schema.
func (r *Report) Database(ctx context.Context, db *stores.Stores) {
	s, err := db.Status(ctx)
	if err != nil {
		r.add("database", Fail, "", "%v", err)
		return
	}
	r.ok("database", "Postgres %d.%d, schema version %d", s.Server/10000, s.Server%10000, s.Have)
}

// Expiry looks whether something outside the daemon takes back what the daemon
// leaves if it dies. pins: nodes are to be named for jobs.
func (r *Report) Expiry(ctx context.Context, db *stores.Stores, cluster string, pins bool) {
	fix := "systemctl enable --now fairbridge-expire.timer, then look at systemctl status fairbridge-expire"
	level, then := Warn, "no node is named for any job"
	if !pins {
		level, then, fix = OK, "not needed before mode steer", ""
	}
	ago, ran, err := db.LastExpiry(ctx, cluster)
	switch {
	case err != nil:
		r.add("expiry", Skip, "", "%v", err)
	case !ran:
		r.add("expiry", level, fix, "fairbridge expire never ran: %s", then)
	case ago > push.ExpiryFresh:
		r.add("expiry", level, fix, "fairbridge expire last ran %v ago: %s", ago.Round(time.Second), then)
	default:
		r.ok("expiry", "fairbridge expire ran %v ago: what a dead daemon leaves is given back", ago.Round(time.Second))
	}
}

// HandBacks looks for jobs that a hand-back of ours may have left held. v is nil
// when Slurm could not be read.
func (r *Report) HandBacks(ctx context.Context, db *stores.Stores, cluster string, v *slurm.View) {
	if v == nil {
		return
	}
	intents, err := db.Intents(ctx, cluster, v.At, v.At)
	if err != nil {
		r.add("hand-backs", Skip, "", "%v", err)
		return
	}
	for _, d := range ledger.UnfinishedHandBacks(intents, v) {
		fix := fmt.Sprintf("fairbridge release, or scontrol release %d", d.Run.Job)
		if !d.Ours {
			fix = fmt.Sprintf("scontrol release %d, unless an administrator holds it", d.Run.Job)
		}
		r.add("hand-backs", Warn, fix, "job %v is held; a hand-back of ours was cut off at %s", d.Run, d.Sent.UTC().Format(time.RFC3339))
	}
}
