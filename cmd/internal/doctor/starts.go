package doctor

import (
	"context"
	"fmt"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/cmd/settings"
)

// fewStarts are too few to be worth a warning.
const fewStarts = 100

// checkStarts says how far plans reach Slurm: how many jobs started that the last plan wanted to start.
func checkStarts(ctx context.Context, db *stores.Stores, f *settings.File, now time.Time) []Finding {
	counts, err := db.CountStarts(ctx, f.Cluster, now, f.MaxCycleAge())
	if err != nil {
		return []Finding{{Subject: "starts", Level: LevelSkip, Text: err.Error()}}
	}
	var found []Finding
	for _, p := range f.Partitions {
		if c := counts[p.Name]; c != nil {
			found = append(found, findStarts(p.Name, p.Mode, c, f.Interval))
		}
	}
	return found
}

// findStarts says what starts in a partition tell. What Slurm starts before a cycle sees it, no plan can order.
func findStarts(partition string, mode bridge.Mode, c *journal.StartCounts, interval time.Duration) Finding {
	f := Finding{Subject: "starts", Level: LevelOK, Text: "partition " + partition + ": " + c.Words(mode)}
	if mode.Allows(bridge.ModeRank) && c.Total() >= fewStarts && 2*c.Wanted < c.Total() {
		f.Level, f.Fix = LevelWarn, fmt.Sprintf("set batch_sched_delay=%.0f,sched_min_interval=%d,bf_interval=%.0f "+
			"(interval in s, in µs, and twice) in SchedulerParameters, then scontrol reconfigure: Slurm starts fewer "+
			"jobs before a cycle sees them, and a GPU may stay free that long",
			interval.Seconds(), interval.Microseconds(), 2*interval.Seconds())
	}
	return f
}
