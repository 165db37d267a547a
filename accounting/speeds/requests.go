package speeds

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// Counts of requests are kept for an hour, and so many are read, the newest.
const (
	requestsBack   = time.Hour
	maxRequestRows = 200_000
)

var (
	qRequestsPut, qRequests = sql.QueryText("requests_put"), sql.QueryText("requests_of_jobs")
	qUsualRequests          = sql.QueryText("requests_usual")
)

// RecordRequests stores reports, all or none, and forgets those of the cluster that are older than an hour before the newest.
// A report that is stored already counts once.
func (s *Store) RecordRequests(ctx context.Context, cluster string, list []bridge.RequestReport) error {
	if len(list) == 0 {
		return nil
	}
	return s.DB.RunTx(ctx, "storing reported requests", func(tx pgx.Tx) error {
		for i := range list {
			r := &list[i]
			if _, err := tx.Exec(ctx, qRequestsPut, cluster, int64(r.Job), value.ValidText(r.User), r.At, r.Count, r.At.Add(-requestsBack), value.ValidText(r.Account), value.ValidText(r.Service)); err != nil {
				return err
			}
		}
		return nil
	})
}

// ReadRequests returns what tells the requests that jobs reported within the hour, by time; nil where none did. A nil Store
// knows nothing.
func (s *Store) ReadRequests(ctx context.Context, q accounting.Querier, cluster string, now time.Time) (func(*policy.Job) []bridge.RequestCount, error) {
	if s == nil {
		return nil, nil
	}
	rows, err := q.Query(ctx, qRequests, cluster, now.Add(-requestsBack), maxRequestRows)
	if err != nil {
		return nil, err
	}
	counts := map[lossKey][]bridge.RequestCount{}
	var key lossKey
	var c bridge.RequestCount
	_, err = pgx.ForEachRow(rows, []any{&key.job, &key.user, &c.At, &c.Count}, func() error {
		counts[key] = append(counts[key], bridge.RequestCount{At: c.At.UTC(), Count: c.Count})
		return nil
	})
	if err != nil || len(counts) == 0 {
		return nil, err
	}
	return func(j *policy.Job) []bridge.RequestCount {
		list := counts[lossKey{j.ID, j.User}]
		for len(list) > 0 && list[0].At.Before(j.Arrive) { // another's, whose number it has
			list = list[1:]
		}
		return list
	}, nil
}

// ReadUsualRequests returns the requests a second that services usually have, by their keys and by the hour of the day (UTC): the
// median of the days of a week.
func (s *Store) ReadUsualRequests(ctx context.Context, q accounting.Querier, cluster string, now time.Time) (map[string]map[int]float64, error) {
	if s == nil {
		return nil, nil
	}
	rows, err := q.Query(ctx, qUsualRequests, cluster, now)
	if err != nil {
		return nil, err
	}
	usual := map[string]map[int]float64{}
	var account, user, service string
	var hour int
	var perSecond float64
	_, err = pgx.ForEachRow(rows, []any{&account, &user, &service, &hour, &perSecond}, func() error {
		key := bridge.ServiceKey(account, user, service)
		if usual[key] == nil {
			usual[key] = map[int]float64{}
		}
		usual[key][hour] = perSecond
		return nil
	})
	return usual, err
}
