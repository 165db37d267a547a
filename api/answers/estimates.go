package answers

import (
	"context"
	"sync"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/answers/kept"
	"fairbridge/policy"
)

// maxEstimateAge is how old estimates may be that the queue shows; there is one an hour, later on large
// clusters. estimatesFreshFor is how long they are not read again,
// startsFreshFor how long starts are not counted again.
const (
	maxEstimateAge    = 24 * time.Hour
	estimatesFreshFor = time.Minute
	startsFreshFor    = 10 * time.Minute
)

// estimateCache holds when waiting jobs are thought to start.
type estimateCache struct {
	once sync.Once
	kept *kept.Value[map[policy.JobID]*estimates.JobEstimate]
}

// get returns them, read anew where that is due; while the database is away as they were read last.
func (c *estimateCache) get(ctx context.Context, isAway bool, db *stores.Stores, cluster string, now func() time.Time) (map[policy.JobID]*estimates.JobEstimate, error) {
	c.once.Do(func() {
		c.kept = kept.New(estimatesFreshFor, now, func(ctx context.Context) (map[policy.JobID]*estimates.JobEstimate, error) {
			list, err := db.LastEstimates(ctx, cluster, "", now().Add(-maxEstimateAge))
			byJob := make(map[policy.JobID]*estimates.JobEstimate, len(list))
			for i := range list {
				byJob[list[i].Job] = &list[i]
			}
			return byJob, err
		})
	})
	if isAway {
		last, _, _ := c.kept.Last()
		return last, nil
	}
	return c.kept.Get(ctx)
}

// addEstimates adds to the jobs of a queue when they are thought to start. While the database is away
// they are those that were read last.
func (w *request) addEstimates(ctx context.Context, q *api.Queue) error {
	byJob, err := w.waits.get(ctx, q.Daemon.RecordError != "", w.parts.Record, w.Cluster, w.parts.Now)
	if err != nil && byJob == nil {
		return err
	}
	for i := range q.Jobs {
		r := &q.Jobs[i]
		if e := byJob[r.JobID]; e != nil && e.Arrive.Equal(r.Arrive) && r.Start.IsZero() {
			r.Estimate = &e.StoredEstimate
		}
	}
	return nil
}

// countStarts counts starts by partition, unless that takes long.
func (s *Service) countStarts(ctx context.Context) (counts map[string]*journal.StartCounts, err error) {
	err = askBriefly(ctx, func(ctx context.Context) error {
		counts, err = s.parts.Record.CountStarts(ctx, s.Cluster, s.parts.Now(), s.MaxCycleAge)
		return err
	})
	return counts, err
}

// addStarts adds to the partitions of a queue how jobs started there, as far as that is known.
func (w *request) addStarts(ctx context.Context, q *api.Queue) {
	if q.Daemon.RecordError != "" {
		return
	}
	counts, _ := w.starts.Get(ctx) // that the database is away the queue says
	for i := range q.Partitions {
		q.Partitions[i].Starts = counts[q.Partitions[i].Name]
	}
}
