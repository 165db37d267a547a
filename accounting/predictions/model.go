package predictions

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/internal/value"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/sql"
)

var qPredictNewest = sql.Query("predict_newest")

// Newest returns what policies may ask of the newest model of a cluster: what
// remains of a job, and how fast GPU types are. Both are nil when there is none.
func (s *Store) Newest(ctx context.Context, q querier, cluster string) (left func(*policy.Job) (left, sigma time.Duration), speeds []policy.Speed, err error) {
	m, err := s.model(ctx, q, cluster)
	if m.predictor == nil {
		return nil, nil, err
	}
	return m.left, m.predictor.model.Speeds, err
}

// modelCache remembers the model in use of each cluster: it is some megabytes that
// a cycle need not read.
type modelCache struct {
	mu   sync.Mutex
	last map[string]cachedModel
}

// cachedModel is a model and what the database says of it.
type cachedModel struct {
	*predictor // nil: there is none that can be read
	id         int64
	made       time.Time
}

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// model returns the newest model of a cluster.
func (s *Store) model(ctx context.Context, q querier, cluster string) (cachedModel, error) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	had := s.cache.last[cluster]
	var text []byte
	now := cachedModel{}
	err := q.QueryRow(ctx, qPredictNewest, cluster, learn.Version, had.id).Scan(&now.id, &now.made, &text)
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
		if m, err := learn.Parse(text); err == nil {
			now.predictor = newPredictor(m)
		}
	}
	if s.cache.last == nil {
		s.cache.last = map[string]cachedModel{}
	}
	s.cache.last[cluster] = now
	return now, nil
}
