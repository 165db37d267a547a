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
	if m.foresight == nil {
		return nil, nil, err
	}
	return m.left, m.foresight.model.Speeds, err
}

// models remembers the model in use of each cluster: it is some megabytes that
// a cycle need not read.
type models struct {
	mu   sync.Mutex
	last map[string]keptModel
}

// keptModel is a model and what the database says of it.
type keptModel struct {
	*foresight // nil: there is none that can be read
	id         int64
	made       time.Time
}

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// model returns the newest model of a cluster.
func (s *Store) model(ctx context.Context, q querier, cluster string) (keptModel, error) {
	s.models.mu.Lock()
	defer s.models.mu.Unlock()
	had := s.models.last[cluster]
	var text []byte
	now := keptModel{}
	err := q.QueryRow(ctx, qPredictNewest, cluster, learn.Version, had.id).Scan(&now.id, &now.made, &text)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return keptModel{}, nil
	case err != nil:
		return keptModel{}, err
	case text == nil:
		return had, nil
	}
	// Policies do without one that cannot be read, until the next is fitted.
	if text, err = value.Gunzip(text); err == nil {
		if m, err := learn.Parse(text); err == nil {
			now.foresight = newForesight(m)
		}
	}
	if s.models.last == nil {
		s.models.last = map[string]keptModel{}
	}
	s.models.last[cluster] = now
	return now, nil
}
