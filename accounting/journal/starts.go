package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// StartCounts counts starts of jobs in a partition by the last decision on each while it waited.
type StartCounts struct {
	Wanted  int `json:"wanted"`  // of jobs that were to start
	Against int `json:"against"` // of jobs that were to wait
	Unseen  int `json:"unseen"`  // of jobs about which nothing was decided
}

// startDays is over how many days starts are counted.
const startDays = 7

var qStarts = sql.QueryText("starts_by_plan")

// CountStarts counts the starts of the seven days before now by partition. Those before which no cycle was stored for
// maxAge are left out: nobody decided then.
func (s *Store) CountStarts(
	ctx context.Context, cluster string, now time.Time, maxAge time.Duration,
) (map[string]*StartCounts, error) {
	byPartition := map[string]*StartCounts{}
	_, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (name string, err error) {
		var c StartCounts
		err = row.Scan(&name, &c.Wanted, &c.Against, &c.Unseen)
		byPartition[name] = &c
		return name, err
	}, qStarts, cluster, now.AddDate(0, 0, -startDays), now, maxAge)
	return byPartition, accounting.WrapError("counting how jobs of cluster "+cluster+" started", err)
}

// Total is how many starts were counted.
func (c *StartCounts) Total() int { return c.Wanted + c.Against + c.Unseen }

// Words says how far plans reach Slurm in a partition that is in a mode now. There must have been a start.
func (c *StartCounts) Words(mode bridge.Mode) string {
	part := func(n int) float64 { return 100 * float64(n) / float64(c.Total()) }
	text := fmt.Sprintf("of %s in %d days the last plan wanted %.0f %%, "+
		"%.0f %% were of jobs that it wanted to wait, %.0f %% no plan saw",
		policy.FormatCount(c.Total(), "start"), startDays, part(c.Wanted), part(c.Against), part(c.Unseen))
	if !mode.Allows(bridge.ModeRank) {
		text += "; nothing is sent in mode " + string(mode)
	}
	return text
}
