package predictions

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/policy/scaling"
	"fairbridge/sql"
)

var (
	qPredictRuns  = sql.QueryText("predict_runs")
	qPredictPut   = sql.QueryText("predict_put")
	qPredictPrune = sql.QueryText("predict_prune")
)

// LearnResult says what Learn did.
type LearnResult struct {
	ModelID        int64     `json:"model"`     // its number; 0: there was too little to learn from
	RunCount       int       `json:"runs"`      // jobs it was fitted to
	Since          time.Time `json:"since"`     // of those
	Through        time.Time `json:"through"`   // likewise
	PredictedCount int       `json:"predicted"` // runs that started since the last time
	SettledCount   int64     `json:"settled"`   // predicted runs that ended since
}

// The history a model is fitted to, and how large it may get.
const (
	learnedHistory   = 180 * 24 * time.Hour
	maxLearnedJobs   = 1_000_000 // jobs, the last ones
	maxLearnedGroups = 20_000    // of each level
	minLearnedJobs   = 20        // jobs
	scoreRetention   = 365 * 24 * time.Hour
)

// Learn notes what the model in use predicts of the runs that started since it
// was made, and how those ended that it had predicted; then fits a new model
// to the last half year. Call it by the clock, an hour or a day apart.
func (s *Store) Learn(ctx context.Context, cluster string, now time.Time) (LearnResult, error) {
	var out LearnResult
	var err error
	if out.PredictedCount, err = s.recordPredictions(ctx, cluster, now); err != nil {
		return out, err
	}
	if out.SettledCount, err = s.recordOutcomes(ctx, cluster); err != nil {
		return out, err
	}
	if _, err := s.DB.ExecUntilNone(ctx, qPredictPrune, cluster, now.Add(-scoreRetention)); err != nil {
		return out, accounting.WrapError("forgetting old predictions", err)
	}
	runs, err := s.readFinishedJobs(ctx, cluster, now)
	if err != nil || len(runs) < minLearnedJobs {
		return out, err
	}
	m := learn.Fit(runs, maxLearnedGroups)
	out.RunCount, out.Since, out.Through = m.RunCount, m.FirstRunStart, m.LastRunEnd
	out.ModelID, err = s.storeModel(ctx, cluster, now, m)
	return out, err
}

// readFinishedJobs reads the jobs that a model is fitted to, in the order they ended.
func (s *Store) readFinishedJobs(ctx context.Context, cluster string, now time.Time) ([]learn.Run, error) {
	var runs []learn.Run
	err := s.DB.RunLongTx(ctx, "reading how long jobs took", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, qPredictRuns, cluster, now.Add(-learnedHistory), maxLearnedJobs)
		if err != nil {
			return err
		}
		runs = nil
		names := internedTexts{}
		var r learn.Run
		var limit, ran float64
		var sized sizedRuns
		_, err = pgx.ForEachRow(rows, []any{&r.User, &r.Account, &r.Name, &r.GPUType, &r.GPUs, &limit, &r.Start, &r.End, &ran, &sized.gpus, &sized.seconds}, func() error {
			r.Limit, r.Ran = policy.DurationFromSeconds(limit), policy.DurationFromSeconds(ran+sized.extraSeconds(&r.Job))
			r.User, r.Account, r.Name, r.GPUType = names.intern(r.User), names.intern(r.Account), names.intern(r.Name), names.intern(r.GPUType)
			runs = append(runs, r)
			return nil
		})
		slices.Reverse(runs)
		return err
	})
	return runs, err
}

// sizedRuns are the runs of a job on numbers of GPUs that we had set.
type sizedRuns struct {
	gpus    []int
	seconds []float64
}

// extraSeconds is how much longer the runs would have taken on what the job asks, by the speed that is assumed where
// nothing is known; it is negative for those on fewer GPUs.
func (s *sizedRuns) extraSeconds(j *learn.Job) (extra float64) {
	asks := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: j.GPUs}}, Scaling: scaling.Assumed()}
	for i, seconds := range s.seconds {
		extra += seconds * (scaling.PaceOn(&asks, scaling.Size{Devices: s.gpus[i]}).Speed - 1)
	}
	return extra
}

// internedTexts keeps one copy of equal texts: a million rows have few different ones.
type internedTexts map[string]string

func (t internedTexts) intern(s string) string {
	if kept, ok := t[s]; ok {
		return kept
	}
	t[s] = s
	return s
}

// storeModel stores a model and returns its number.
func (s *Store) storeModel(ctx context.Context, cluster string, now time.Time, m *learn.Model) (id int64, err error) {
	text, err := json.Marshal(m)
	if err != nil {
		return 0, fmt.Errorf("writing a model of run times: %w", err)
	}
	groups := 0
	for i := range m.Levels {
		groups += len(m.Levels[i].Groups)
	}
	err = s.DB.QueryRow(ctx, qPredictPut, cluster, learn.MethodVersion, now.UTC(), m.FirstRunStart, m.LastRunEnd, m.RunCount, groups, value.Gzip(text)).Scan(&id)
	return id, accounting.WrapError("storing a model of run times", err)
}
