package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/sql"
)

var qIntentRestore = sql.QueryText("intent_restore")

// RestoreIntents puts intents back that were sent and that the database lost, as when it was put back from a
// backup, and returns those with the ids that they have from now on. Those it knows, and those beside which the
// job's field has an open one, are left out. It needs no leadership: nothing is sent by it.
func (s *Store) RestoreIntents(ctx context.Context, lost []bridge.Intent) (restored []bridge.Intent, err error) {
	err = s.DB.RunTx(ctx, "putting intents back", func(tx pgx.Tx) error {
		restored = nil
		for _, in := range lost {
			e := &in.Edit
			err := tx.QueryRow(ctx, qIntentRestore, in.Cluster, in.Epoch, in.Policy,
				e.Run.Job, e.Run.Submit, e.Run.Restarts, e.Run.SLUID, e.Kind.Field(), e.Kind, e.Value,
				value.NullIfZero(e.Until), emptyIfNil(e.Nodes), e.Array, e.Tasks, value.ValidText(e.Why),
				in.Before, in.State, value.NullIfZero(in.NotAfter), in.Made, e.Text,
				value.NullIfZero(in.Sent), value.ValidText(in.Error), in.Polls).Scan(&in.ID)
			switch {
			case errors.Is(err, pgx.ErrNoRows):
				continue
			case err != nil:
				return accounting.WrapError(fmt.Sprintf("putting intent %d back", in.ID), err)
			}
			restored = append(restored, in)
		}
		return nil
	})
	return restored, err
}
