package doctor

import (
	"context"
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/policy"
)

// Usage looks whether anything is known of what accounts used. Without it all
// stand alike, and nobody is served first who used less than is due.
func (r *Report) Usage(ctx context.Context, db *stores.Stores, cluster string, now time.Time) {
	past, err := db.Past(ctx, cluster, now)
	if err != nil {
		r.add("usage", Skip, "", "%v", err)
		return
	}
	known, sum := 0, policy.GPUSeconds(0)
	for _, a := range past.Accounts {
		if a.Used > 0 {
			known++
			sum += a.Used
		}
	}
	if known == 0 {
		r.add("usage", Warn, "fairbridge import --since 90d, or import --sacct FILE without slurmdbd behind slurmrestd",
			"nothing is known of what accounts used: all stand alike, as if none had used less than its share")
		return
	}
	r.ok("usage", "accounts that used something: %d, %.1f GPU-hours as far as they still count", known, float64(sum)/3600)
}
