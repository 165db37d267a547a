// Package predictions keeps what is learnt of how long jobs run, and how well it
// predicted.
package predictions

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/sql"
)

// Store keeps models of run times in a database. It is safe for concurrent use.
type Store struct {
	DB     *accounting.DB
	models modelCache
}

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

var qPredictNewest = sql.QueryText("predict_newest")

// NewestModel is what policies may ask of the newest model of a cluster; zero where there
// is none.
type NewestModel struct {
	// PredictTimeLeft returns what remains of a job, and its standard error; nil: nothing
	// was learnt.
	PredictTimeLeft func(*policy.Job) (left, sigma time.Duration)
	Trust           float64        // how far that proved true; see learn.Model
	GPUSpeeds       []policy.Speed // of GPU types
}

// ReadNewestModel reads the newest model of a cluster.
func (s *Store) ReadNewestModel(ctx context.Context, q rowQuerier, cluster string) (NewestModel, error) {
	m, err := s.loadModel(ctx, q, cluster)
	if m.predictor == nil {
		return NewestModel{}, err
	}
	return NewestModel{m.predictLeft, m.model.Trust, m.model.Speeds}, err
}

// modelCache remembers the model in use of each cluster: it is some megabytes that
// a cycle need not read.
type modelCache struct {
	mu             sync.Mutex
	modelByCluster map[string]cachedModel
}

// cachedModel is a model and what the database says of it.
type cachedModel struct {
	*predictor // nil: there is none that can be read
	id         int64
	madeAt     time.Time
}

// rowQuerier is a pool or a transaction.
type rowQuerier interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// loadModel returns the newest model of a cluster.
func (s *Store) loadModel(ctx context.Context, q rowQuerier, cluster string) (cachedModel, error) {
	s.models.mu.Lock()
	defer s.models.mu.Unlock()
	had := s.models.modelByCluster[cluster]
	var text []byte
	now := cachedModel{}
	err := q.QueryRow(ctx, qPredictNewest, cluster, learn.MethodVersion, had.id).Scan(&now.id, &now.madeAt, &text)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return cachedModel{}, nil
	case err != nil:
		return cachedModel{}, err
	case text == nil:
		return had, nil
	}
	// Policies do without one that cannot be read, until the next is fitted.
	if text, err = value.Gunzip(text); err == nil {
		if m, err := learn.ParseModel(text); err == nil {
			now.predictor = newPredictor(m)
		}
	}
	if s.models.modelByCluster == nil {
		s.models.modelByCluster = map[string]cachedModel{}
	}
	s.models.modelByCluster[cluster] = now
	return now, nil
}

// EarlierRuns is what earlier runs of a job that comes again, on as many GPUs, say of it: those of its user whose name is
// the same, or else differs in counters only.
type EarlierRuns struct {
	Count          int       `json:"count"`
	Since          time.Time `json:"since"` // when the first of them ended
	MedianSeconds  float64   `json:"median_s"`
	LongestSeconds float64   `json:"longest_s"`
	// EnoughLimitSeconds is a time limit that would have done for all of them, where the job asks for more than twice that;
	// 0: none is advised.
	EnoughLimitSeconds float64 `json:"enough_limit_s,omitempty"`
	// InTimeCount is how many of them were short enough for its deadline, did it start now; nil: it runs, or has none.
	InTimeCount *int `json:"in_time,omitempty"`
}

// maxUserJobs is how many jobs of a user are looked through, the last.
const maxUserJobs = 2000

var qUserRuns = sql.QueryText("runs_of_user")

// EarlierRuns returns what earlier runs of the last half year say of a job; nil: none on as many GPUs is known. Those of jobs
// that were cancelled, preempted, or lost their node say nothing of how long it takes, and those of accounts that may not be seen are not told.
func (s *Store) EarlierRuns(ctx context.Context, cluster string, j *policy.Job, now time.Time, isSeen func(account string) bool) (*EarlierRuns, error) {
	runs, err := s.readEarlierRuns(ctx, cluster, j, now, isSeen)
	if err != nil {
		return nil, accounting.WrapError("reading earlier runs of jobs of "+j.User, err)
	}
	e, ok := learn.SummarizeEarlier(runs, j)
	if !ok {
		return nil, nil
	}
	out := &EarlierRuns{Count: len(e.RunTimes), Since: e.Since.UTC(), MedianSeconds: e.Median().Seconds(), LongestSeconds: e.Longest().Seconds(), EnoughLimitSeconds: e.EnoughLimit.Seconds()}
	if !j.HoldsGPUs() && !j.Deadline.IsZero() {
		n := e.CountWithin(j.Deadline.Sub(now))
		out.InTimeCount = &n
	}
	return out, nil
}

// readEarlierRuns reads the runs by which the job is recognised, the oldest first.
func (s *Store) readEarlierRuns(ctx context.Context, cluster string, j *policy.Job, now time.Time, isSeen func(account string) bool) ([]learn.EarlierRun, error) {
	rows, err := s.DB.Query(ctx, qUserRuns, cluster, value.ValidText(j.User), now.Add(-learnedHistory), maxUserJobs)
	if err != nil {
		return nil, err
	}
	var known learn.Recurring
	r := learn.Run{Job: learn.Job{User: j.User}}
	var limit, ran float64
	_, err = pgx.ForEachRow(rows, []any{&r.Name, &r.Account, &r.GPUs, &limit, &ran, &r.End}, func() error {
		if !isSeen(r.Account) {
			return nil
		}
		r.Limit, r.Ran = policy.DurationFromSeconds(limit), policy.DurationFromSeconds(ran)
		known.AddRun(&r)
		return nil
	})
	return known.EarlierRuns(j), err
}

// predictor predicts from a model, and remembers the distributions of the jobs
// it was asked about: the next cycle asks about nearly the same ones.
type predictor struct {
	mu                sync.Mutex
	model             *learn.Model
	distributionByJob map[learn.Job]*learn.RunTimeDist
}

// maxKeptDistributions bounds how many distributions are kept, of a kilobyte or two each.
const maxKeptDistributions = 20_000

func newPredictor(m *learn.Model) *predictor {
	return &predictor{model: m, distributionByJob: map[learn.Job]*learn.RunTimeDist{}}
}

// predictLeft returns what remains of a job, and its standard error.
func (f *predictor) predictLeft(j *policy.Job) (left, sigma time.Duration) {
	return f.distributionOf(learn.JobFromPolicy(j)).MedianLeft(j.TotalRunTime())
}

func (f *predictor) distributionOf(j learn.Job) *learn.RunTimeDist {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.distributionByJob[j]
	if d == nil {
		if len(f.distributionByJob) >= maxKeptDistributions {
			clear(f.distributionByJob)
		}
		d = f.model.RunTimeDistOf(&j)
		f.distributionByJob[j] = d
	}
	return d
}
