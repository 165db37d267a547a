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
