package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge"
	"fairbridge/sql"
)

var qReplaySteered = sql.QueryText("replay_steered")

// ListSteering returns who decided about a partition from since to until, most
// cycles first.
func (s *Store) ListSteering(ctx context.Context, cluster, partition string, since, until time.Time) ([]bridge.PolicyCycleCounts, error) {
	list, err := accounting.CollectRows(ctx, s.DB, pgx.RowToStructByPos[bridge.PolicyCycleCounts], qReplaySteered, cluster, partition, since, until)
	return list, accounting.WrapError(fmt.Sprintf("reading who steered partition %s", partition), err)
}
