package doctor

import (
	"context"
	"errors"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// checkDatabase looks at Postgres and the schema, and reports whether the daemon can work
// with them.
func (r *Report) checkDatabase(ctx context.Context, db *stores.Stores) bool {
	s, err := db.Status(ctx)
	if err != nil {
		r.addFinding("database", LevelFail, fixForDatabase(err), "%v", err)
		return false
	}
	r.addOK("database", "Postgres %d.%d, schema version %d", s.ServerVersion/10000, s.ServerVersion%10000, s.AppliedVersion)
	return true
}

// fixForDatabase is the command that mends what is wrong with the database; "" where the
// error itself says all there is to say.
func fixForDatabase(err error) string {
	switch {
	case errors.Is(err, accounting.ErrNoSchema):
		return "sudo -u fairbridge fairbridge db init"
	case errors.Is(err, accounting.ErrNotMigrated):
		return "sudo -u fairbridge fairbridge db migrate"
	case errors.Is(err, accounting.ErrPeerRefused):
		return "sudo -u fairbridge fairbridge doctor"
	}
	return ""
}

// checkDaemon looks when a cycle was last stored: that nothing else is wrong says nothing of
// whether a daemon runs.
func checkDaemon(ctx context.Context, db *stores.Stores, f *settings.File, now time.Time) Finding {
	at, ok, err := db.LastCycleAt(ctx, f.Cluster, "")
	l, leaderErr := db.ReadLeader(ctx, f.Cluster)
	ago := policy.FormatDuration(now.Sub(at).Round(time.Second))
	x := Finding{Subject: "daemon", Level: LevelWarn, Fix: "systemctl status fairbridge; journalctl -u fairbridge says why"}
	switch {
	case err != nil:
		x.Level, x.Text, x.Fix = LevelSkip, err.Error(), ""
	case !ok:
		x.Text, x.Fix = "no cycle is stored yet: no daemon ever ran for cluster "+f.Cluster, "systemctl enable --now fairbridge fairbridge-expire.timer"
	case now.Sub(at) > f.MaxCycleAge():
		x.Text = "the last cycle was " + ago + " ago: no daemon runs, or it cannot read Slurm"
	case leaderErr == nil && l != nil && !l.Leads:
		ended := policy.FormatDuration(now.Sub(l.Until).Round(time.Second))
		x.Text = "no daemon leads: " + l.Daemon + " was the last, until " + ended + " ago"
	default:
		x.Level, x.Text, x.Fix = LevelOK, "the last cycle was "+ago+" ago", ""
	}
	return x
}

// checkExpiry looks whether something outside the daemon takes back what the daemon
// leaves if it dies. pins: nodes are to be named for jobs.
func (r *Report) checkExpiry(ctx context.Context, db *stores.Stores, cluster string, pins bool) {
	fix := "systemctl enable --now fairbridge-expire.timer, then look at systemctl status fairbridge-expire"
	level, then := LevelWarn, "no node is named for any job"
	if !pins {
		level, then, fix = LevelOK, "not needed before mode steer", ""
	}
	ago, ran, err := db.TimeSinceExpirerRan(ctx, cluster)
	switch {
	case err != nil:
		r.addFinding("expiry", LevelSkip, "", "%v", err)
	case !ran:
		r.addFinding("expiry", level, fix, "fairbridge expire never ran: %s", then)
	case ago > push.MaxTimeSinceExpirerRan:
		r.addFinding("expiry", level, fix, "fairbridge expire last ran %v ago: %s", ago.Round(time.Second), then)
	default:
		r.addOK("expiry", "fairbridge expire ran %v ago: what a dead daemon leaves is given back", ago.Round(time.Second))
	}
}

// checkHandBacks looks for jobs that a hand-back of ours may have left held. v is nil
// when Slurm could not be read.
func (r *Report) checkHandBacks(ctx context.Context, db *stores.Stores, cluster string, v *slurm.View) {
	if v == nil {
		return
	}
	intents, err := db.Intents(ctx, cluster, v.At, v.At)
	if err != nil {
		r.addFinding("hand-backs", LevelSkip, "", "%v", err)
		return
	}
	for _, d := range ledger.UnfinishedHandBacks(intents, v) {
		fix := "fairbridge release, or " + d.ReleaseCommand()
		if !d.Ours {
			fix = d.ReleaseCommand() + ", unless an administrator holds it"
		}
		r.addFinding("hand-backs", LevelWarn, fix, "job %s is held; a hand-back of ours was cut off at %s", d.RunText(), d.Sent.UTC().Format(time.RFC3339))
	}
}

// checkUsage looks whether anything is known of what accounts used. Without it all
// stand alike, and nobody is served first who used less than is due.
func (r *Report) checkUsage(ctx context.Context, db *stores.Stores, cluster string, now time.Time) {
	past, err := db.Past(ctx, cluster, now)
	if err != nil {
		r.addFinding("usage", LevelSkip, "", "%v", err)
		return
	}
	known, sum := 0, policy.GPUSeconds(0)
	for _, a := range past.Accounts {
		if a.UsedService > 0 {
			known++
			sum += a.UsedService
		}
	}
	if known == 0 {
		r.addFinding("usage", LevelWarn, "fairbridge import --since 90d, or import --sacct FILE without slurmdbd behind slurmrestd",
			"nothing is known of what accounts used: all stand alike, as if none had used less than its share")
		return
	}
	r.addOK("usage", "accounts that used something: %d, %.1f GPU-hours as far as they still count", known, float64(sum)/3600)
}
