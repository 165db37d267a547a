package doctor

import (
	"context"
	"time"

	"fairbridge/accounting"
	"fairbridge/bridge"
)

// Database looks at Postgres and the schema.
func (r *Report) Database(ctx context.Context, db *accounting.DB) {
	s, err := db.Status(ctx)
	if err != nil {
		r.add("database", Fail, "", "%v", err)
		return
	}
	r.ok("database", "Postgres %d.%d, schema version %d", s.Server/10000, s.Server%10000, s.Have)
}

// Expiry looks whether something outside the daemon takes back what the daemon
// leaves if it dies. pins: nodes are to be named for jobs.
func (r *Report) Expiry(ctx context.Context, db *accounting.DB, cluster string, pins bool) {
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
	case ago > bridge.ExpiryFresh:
		r.add("expiry", level, fix, "fairbridge expire last ran %v ago: %s", ago.Round(time.Second), then)
	default:
		r.ok("expiry", "fairbridge expire ran %v ago: what a dead daemon leaves is given back", ago.Round(time.Second))
	}
}
