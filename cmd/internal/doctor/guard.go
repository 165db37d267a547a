package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// maxGuardAge is how old the last check of the harm guard may be: it is made every hour.
const maxGuardAge = 3 * time.Hour

// checkGuard looks whether a partition is demoted, and whether anything would demote one.
func checkGuard(ctx context.Context, db *stores.Stores, f *settings.File, now time.Time) []Finding {
	demotions, err := db.ActiveDemotions(ctx, f.Cluster)
	if err != nil {
		return []Finding{{Subject: "guard", Level: LevelSkip, Text: err.Error()}}
	}
	var found []Finding
	for i := range demotions {
		d := &demotions[i]
		fix := "fairbridge guard show -p " + d.Partition + ", then fairbridge guard clear " + d.Partition
		if d.Action != 0 {
			fix = "fairbridge operate list, then fairbridge operate mode " + d.Partition + " with the configured mode"
		}
		found = append(found, Finding{Subject: "guard", Level: LevelWarn, Text: d.Text(), Fix: fix})
	}
	if len(found) == 0 {
		found = append(found, findLastCheck(ctx, db, f, now))
	}
	return found
}

// findLastCheck says how old the last check is, and what it found.
func findLastCheck(ctx context.Context, db *stores.Stores, f *settings.File, now time.Time) Finding {
	if !slices.ContainsFunc(f.Partitions, func(p settings.Partition) bool { return p.Mode.Allows(bridge.ModeRank) }) {
		return Finding{Subject: "guard", Level: LevelOK, Text: "not needed before mode rank"}
	}
	checks, err := db.ListChecks(ctx, f.Cluster, "", now.Add(-maxGuardAge), 1)
	switch {
	case err != nil:
		return Finding{Subject: "guard", Level: LevelSkip, Text: err.Error()}
	case len(checks) == 0:
		return Finding{Subject: "guard", Level: LevelWarn, Fix: "systemctl enable --now fairbridge-guard.timer",
			Text: fmt.Sprintf("no check of the harm guard within %s: nothing demotes a partition in which jobs are worse off than with Slurm alone", policy.FormatDuration(maxGuardAge))}
	}
	c := &checks[0]
	ago := policy.FormatDuration(now.Sub(c.At).Round(time.Second))
	return Finding{Subject: "guard", Level: LevelOK, Text: fmt.Sprintf("the harm guard checked %s %s ago: %s", c.Partition, ago, c.Verdict)}
}
