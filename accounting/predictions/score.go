package predictions

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/sql"
)

var (
	qPredictStarted  = sql.QueryText("predict_started")
	qPredictAdd      = sql.QueryText("predict_add")
	qPredictOutcomes = sql.QueryText("predict_outcomes")
)

// maxPredictionDelay is how long after its start a run may still get its prediction.
const maxPredictionDelay = 48 * time.Hour

// recordPredictions notes what the model in use predicts of runs that started after it
// was made: of no other can it be scored fairly. It returns how many.
func (s *Store) recordPredictions(ctx context.Context, cluster string, now time.Time) (int, error) {
	const doing = "predicting runs that started"
	m, err := s.loadModel(ctx, s.DB.Pool, cluster)
	if err != nil || m.predictor == nil {
		return 0, accounting.WrapError(doing, err)
	}
	since := now.Add(-maxPredictionDelay)
	if m.madeAt.After(since) {
		since = m.madeAt
	}
	var list []prediction
	err = s.DB.RunTx(ctx, doing, func(tx pgx.Tx) error {
		var err error
		scan := func(row pgx.CollectableRow) (prediction, error) { return scanPrediction(row, m.model) }
		if list, err = accounting.CollectRows(ctx, tx, scan, qPredictStarted, cluster, since); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, qPredictAdd, append([]any{cluster, m.id}, predictionColumns(list)...)...)
		return err
	})
	return len(list), err
}

// prediction is what is predicted of a run, in seconds.
type prediction struct {
	jobID, submitUnix                                                           int64
	restarts                                                                    int32
	startedAt                                                                   time.Time
	user, account                                                               string
	limitSeconds, meanSeconds, sigmaSeconds, p10Seconds, p50Seconds, p90Seconds float64
}

// scanPrediction reads a run and predicts from the model how long it runs.
func scanPrediction(row pgx.CollectableRow, m *learn.Model) (p prediction, err error) {
	var j learn.Job
	var seconds float64
	err = row.Scan(&p.jobID, &p.submitUnix, &p.restarts, &j.User, &j.Account, &j.Name, &j.GPUs, &p.limitSeconds, &p.startedAt, &seconds, &j.GPUType)
	if err != nil {
		return p, err
	}
	j.Limit = policy.DurationFromSeconds(p.limitSeconds)
	p.user, p.account = j.User, j.Account
	d, ran := m.RunTimeDistOf(&j), policy.DurationFromSeconds(seconds)
	mean, sigma := d.MeanLeft(ran)
	p.meanSeconds, p.sigmaSeconds = mean.Seconds(), sigma.Seconds()
	p.p10Seconds, p.p50Seconds, p.p90Seconds = d.QuantileLeft(.1, ran).Seconds(), d.QuantileLeft(.5, ran).Seconds(), d.QuantileLeft(.9, ran).Seconds()
	return p, nil
}

// predictionColumns are predictions by column, as arrays travel to Postgres.
func predictionColumns(list []prediction) []any {
	type p = prediction
	amounts := func(of func(*p) float64) []float64 { return value.ColumnOf(list, of) }
	return []any{
		value.ColumnOf(list, func(p *p) int64 { return p.jobID }), value.ColumnOf(list, func(p *p) int64 { return p.submitUnix }),
		value.ColumnOf(list, func(p *p) int32 { return p.restarts }), value.ColumnOf(list, func(p *p) time.Time { return p.startedAt }),
		value.ColumnOf(list, func(p *p) string { return p.user }), value.ColumnOf(list, func(p *p) string { return p.account }),
		amounts(func(p *p) float64 { return p.limitSeconds }), amounts(func(p *p) float64 { return p.meanSeconds }), amounts(func(p *p) float64 { return p.sigmaSeconds }),
		amounts(func(p *p) float64 { return p.p10Seconds }), amounts(func(p *p) float64 { return p.p50Seconds }), amounts(func(p *p) float64 { return p.p90Seconds }),
	}
}

// recordOutcomes notes how predicted runs ended and returns how many did.
func (s *Store) recordOutcomes(ctx context.Context, cluster string) (int64, error) {
	tag, err := s.DB.Exec(ctx, qPredictOutcomes, cluster)
	return tag.RowsAffected(), accounting.WrapError("noting how predicted runs ended", err)
}
