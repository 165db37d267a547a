package speeds

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// maxKeptLosses is how many losses of a job are kept: of more, every other one is forgotten, so that what
// is left covers the whole of its training. They stand in every snapshot.
const maxKeptLosses = 50

// maxLossRows bounds how many losses are read, the newest.
const maxLossRows = 200_000

var (
	qLossesRewind, qLossesPut = sql.QueryText("losses_rewind"), sql.QueryText("losses_put")
	qLossesThin, qLosses      = sql.QueryText("losses_thin"), sql.QueryText("losses_of_jobs")
)

// lossKey is one job, by its user.
type lossKey struct {
	job  policy.JobID
	user string
}

// keptLoss is a loss that was reported at some time.
type keptLoss struct {
	policy.LossPoint
	totalSteps float64
	at         time.Time
}

// RecordLosses stores reports, all or none. A report that is stored already counts once; one of fewer steps than
// those before it tells that work was lost, and what was reported of that is forgotten.
func (s *Store) RecordLosses(ctx context.Context, cluster string, list []bridge.LossReport) error {
	if len(list) == 0 {
		return nil
	}
	return s.DB.RunTx(ctx, "storing reported losses", func(tx pgx.Tx) error {
		for i := range list {
			r := &list[i]
			user := value.ValidText(r.User)
			if _, err := tx.Exec(ctx, qLossesRewind, cluster, int64(r.Job), user, r.Point.Step, r.At); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, qLossesPut, cluster, int64(r.Job), user, r.Point.Step, r.Point.Loss, r.TotalSteps, r.At); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, qLossesThin, cluster, int64(r.Job), user, maxKeptLosses); err != nil {
				return err
			}
		}
		return nil
	})
}

// readLosses reads what jobs reported of their losses, by step.
func (k *known) readLosses(ctx context.Context, q accounting.Querier, cluster string) error {
	rows, err := q.Query(ctx, qLosses, cluster, k.readAt.Add(-jobsBack), maxLossRows)
	if err != nil {
		return err
	}
	var key lossKey
	var v keptLoss
	_, err = pgx.ForEachRow(rows, []any{&key.job, &key.user, &v.Step, &v.Loss, &v.totalSteps, &v.at}, func() error {
		k.losses[key] = append(k.losses[key], v)
		return nil
	})
	return err
}

// lossesOf returns what a job reported. What was reported under its number before it was submitted is another's.
func (k *known) lossesOf(j *policy.Job) (out bridge.LossHistory) {
	var newest time.Time
	for _, l := range k.losses[lossKey{j.ID, j.User}] {
		if l.at.Before(j.Arrive) {
			continue
		}
		out.Points = append(out.Points, l.LossPoint)
		if !l.at.Before(newest) {
			newest, out.TotalSteps = l.at, l.totalSteps
		}
	}
	slices.SortFunc(out.Points, func(a, b policy.LossPoint) int { return cmp.Compare(a.Step, b.Step) })
	return out
}
