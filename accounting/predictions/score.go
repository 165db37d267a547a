package predictions

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/policy/learn"
	"fairbridge/sql"
)

var (
	qPredictStarted = sql.Query("predict_started")
	qPredictAdd     = sql.Query("predict_add")
	qPredictSettle  = sql.Query("predict_settle")
)

// lateStart is how long after its start a run may still get its prediction.
const lateStart = 48 * time.Hour

// foretell notes what the model in use predicts of runs that started after it
// was made: of no other can it be scored fairly. It returns how many.
func (s *Store) foretell(ctx context.Context, cluster string, now time.Time) (int, error) {
	const doing = "predicting runs that started"
	m, err := s.model(ctx, s.DB.Pool, cluster)
	if err != nil || m.foresight == nil {
		return 0, accounting.Wrap(doing, err)
	}
	since := now.Add(-lateStart)
	if m.made.After(since) {
		since = m.made
	}
	p := newPredicted()
	err = s.DB.Tx(ctx, doing, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, qPredictStarted, cluster, since)
		if err != nil {
			return err
		}
		p = newPredicted()
		if err := p.read(rows, m.model); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, qPredictAdd, cluster, m.id, p.job, p.submit, p.restarts, p.started, p.user, p.account, p.limit, p.mean, p.sigma, p.p10, p.p50, p.p90)
		return err
	})
	return len(p.job), err
}

// predicted are predictions by column, as arrays travel to Postgres.
type predicted struct {
	job, submit                       []int64
	restarts                          []int32
	started                           []time.Time
	user, account                     []string
	limit, mean, sigma, p10, p50, p90 []float64
}

func newPredicted() *predicted {
	return &predicted{[]int64{}, []int64{}, []int32{}, []time.Time{}, []string{}, []string{}, []float64{}, []float64{}, []float64{}, []float64{}, []float64{}, []float64{}}
}

func (p *predicted) read(rows pgx.Rows, m *learn.Model) error {
	var job, submit int64
	var restarts int32
	var j learn.Job
	var started time.Time
	var limit, ran float64
	_, err := pgx.ForEachRow(rows, []any{&job, &submit, &restarts, &j.User, &j.Account, &j.Name, &j.GPUs, &limit, &started, &ran, &j.Type}, func() error {
		j.Limit = seconds(limit)
		p.job, p.submit, p.restarts = append(p.job, job), append(p.submit, submit), append(p.restarts, restarts)
		p.started, p.user, p.account = append(p.started, started), append(p.user, j.User), append(p.account, j.Account)
		p.limit = append(p.limit, limit)
		p.add(m.Of(&j), seconds(ran))
		return nil
	})
	return err
}

func (p *predicted) add(d *learn.Dist, ran time.Duration) {
	mean, sigma := d.Mean(ran)
	p.mean, p.sigma = append(p.mean, mean.Seconds()), append(p.sigma, sigma.Seconds())
	p.p10 = append(p.p10, d.Quantile(.1, ran).Seconds())
	p.p50 = append(p.p50, d.Quantile(.5, ran).Seconds())
	p.p90 = append(p.p90, d.Quantile(.9, ran).Seconds())
}

// settlePredictions notes how predicted runs ended and returns how many did.
func (s *Store) settlePredictions(ctx context.Context, cluster string) (int64, error) {
	tag, err := s.DB.Exec(ctx, qPredictSettle, cluster)
	return tag.RowsAffected(), accounting.Wrap("noting how predicted runs ended", err)
}
