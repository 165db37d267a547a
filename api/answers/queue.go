package answers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/api/names"
	"fairbridge/policy"
)

// Queue returns the jobs of the last cycle of each partition that match and may be seen.
func (s *Service) Queue(ctx context.Context, v api.Viewer, q api.QueueQuery) (*api.Queue, error) {
	if err := cmp.Or(s.checkPartitions(q.Partitions), checkAddressCount(q.Jobs)); err != nil {
		return nil, err
	}
	if err := names.Check("state", q.States, names.JobStates); err != nil {
		return nil, err
	}
	limit, err := pageLimit(q.Limit)
	if err != nil {
		return nil, err
	}
	from, err := parseCursor(q.After)
	if err != nil {
		return nil, err
	}
	w := s.newRequest(ctx, &v)
	if len(w.cycles) == 0 && w.cyclesErr != nil {
		return nil, toldError(&v, "reading the queue", w.cyclesErr)
	}
	out := &api.Queue{Jobs: []api.QueueJob{}, Daemon: w.daemonState(ctx)}
	for i := range s.Partitions {
		if p := &s.Partitions[i]; len(q.Partitions) == 0 || slices.Contains(q.Partitions, p.Name) {
			out.Partitions = append(out.Partitions, w.partitionState(p))
		}
	}
	f := newQueueFilter(&q)
	for _, c := range w.cycles {
		if len(q.Partitions) == 0 || slices.Contains(q.Partitions, c.Partition) {
			err = cmp.Or(err, w.addRows(ctx, out, c, f, from, limit))
		}
	}
	if err == nil && q.Estimates {
		err = w.addEstimates(ctx, out)
		w.addStarts(ctx, out)
	}
	return out, toldErrorOrNil(&v, "reading the queue", err)
}

// toldErrorOrNil is toldError, but for none.
func toldErrorOrNil(v *api.Viewer, doing string, err error) error {
	if err == nil {
		return nil
	}
	return toldError(v, doing, err)
}

// rowsPerLook is after how many rows it is looked whether somebody still waits for the answer.
const rowsPerLook = 1000

// addRows adds the rows of a cycle that match, may be seen and are on the page.
func (w *request) addRows(ctx context.Context, out *api.Queue, c *lastcycle.Cycle, f *queueFilter, from cursor, limit int) error {
	held := f.jobsOnNodes(c)
	for i := range c.Rows {
		if i%rowsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r := &c.Rows[i]
		if !f.matches(r) || f.hasNodes && !(held[r.JobID] && w.SeesPlace(r.User, r.Account)) {
			continue
		}
		if !w.SeesJob(r.User, r.Account) {
			if f.countsHidden {
				out.Hidden++
			}
			continue
		}
		out.Total++
		switch at := (cursor{c.Partition, r.Rank, int64(r.JobID)}); {
		case from.partition != "" && at.compare(from) <= 0:
		case len(out.Jobs) < limit:
			out.Jobs = append(out.Jobs, w.row(r))
		case out.Next == "":
			last := &out.Jobs[limit-1]
			out.Next = cursor{last.Partition, last.Rank, int64(last.JobID)}.String()
		}
	}
	return nil
}

// row returns a row as the viewer, who sees the job, may see it.
func (w *request) row(r *api.QueueJob) api.QueueJob {
	out := *r
	if w.HidesNothing() && w.SeesNodes() {
		return out
	}
	if !w.SeesPlace(r.User, r.Account) {
		r = withoutPlace(w, r)
		out = *r
	}
	if !w.SeesWhy(r.User, r.Account) {
		out.Why, out.NotPushed = whyHidden, nil
		return out
	}
	out.Why, out.NotPushed = w.Hide(r.Why), w.HideAll(r.NotPushed)
	return out
}

// whyHidden stands for a reason that tells what others used.
const whyHidden = "the reason tells what its account used, which is private here"

// queueFilter is a query ready to be asked of each row.
type queueFilter struct {
	*api.QueueQuery
	users, accounts, states map[string]bool
	jobs                    jobSet
	hasNodes, countsHidden  bool
}

func newQueueFilter(q *api.QueueQuery) *queueFilter {
	f := &queueFilter{QueueQuery: q, users: setOf(q.Users), accounts: setOf(q.Accounts), states: map[string]bool{}, jobs: newJobSet(q.Jobs), hasNodes: len(q.Nodes) > 0}
	for _, s := range q.States {
		f.states[strings.ToUpper(s)] = true
	}
	// How many private jobs a user or a node has is private too.
	f.countsHidden = len(q.Users)+len(q.Accounts)+len(q.Jobs)+len(q.Nodes) == 0
	return f
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// jobsOnNodes are the jobs of a cycle that hold GPUs of the nodes asked for.
func (f *queueFilter) jobsOnNodes(c *lastcycle.Cycle) map[policy.JobID]bool {
	held := map[policy.JobID]bool{}
	for _, n := range f.Nodes {
		for _, r := range c.RowsOfNode(n) {
			held[r.JobID] = true
		}
	}
	return held
}

// matches reports whether a row is asked for, but for its nodes.
func (f *queueFilter) matches(r *api.QueueJob) bool {
	return (len(f.users) == 0 || f.users[r.User]) && (len(f.accounts) == 0 || f.accounts[r.Account]) &&
		(len(f.states) == 0 || f.states[strings.ToUpper(r.State)]) && (len(f.Jobs) == 0 || f.jobs.Has(r))
}

// checkPartitions says which of the names is none of a partition that is looked after.
func (s *Config) checkPartitions(names []string) error {
	for _, name := range names {
		if s.partition(name) == nil {
			return badRequest("there is no partition %q here, there is %s", name, strings.Join(s.partitionNames(), ", "))
		}
	}
	return nil
}

func (s *Config) partitionNames() []string {
	names := make([]string, len(s.Partitions))
	for i := range s.Partitions {
		names[i] = s.Partitions[i].Name
	}
	return names
}

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
	kept *keptValue[map[policy.JobID]*estimates.JobEstimate]
}

// get returns them, read anew where that is due; while the database is away as they were read last.
func (c *estimateCache) get(ctx context.Context, isAway bool, db *stores.Stores, cluster string, now func() time.Time) (map[policy.JobID]*estimates.JobEstimate, error) {
	c.once.Do(func() {
		c.kept = newKept(estimatesFreshFor, now, func(ctx context.Context) (map[policy.JobID]*estimates.JobEstimate, error) {
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

// cursor is where a page of the queue ended.
type cursor struct {
	partition string
	rank      int
	job       int64
}

func (c cursor) compare(d cursor) int {
	return cmp.Or(cmp.Compare(c.partition, d.partition), cmp.Compare(c.rank, d.rank), cmp.Compare(c.job, d.job))
}

// String writes the cursor as RANK.JOB.PARTITION.
func (c cursor) String() string { return fmt.Sprintf("%d.%d.%s", c.rank, c.job, c.partition) }

func parseCursor(text string) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	parts := strings.SplitN(text, ".", 3)
	if len(parts) == 3 {
		var rankErr, jobErr error
		c.rank, rankErr = strconv.Atoi(parts[0])
		c.job, jobErr = strconv.ParseInt(parts[1], 10, 64)
		if c.partition = parts[2]; rankErr == nil && jobErr == nil && c.partition != "" {
			return c, nil
		}
	}
	return cursor{}, badRequest("after: %q is not the next of a page", text)
}

// pageLimit returns how many rows a page has.
func pageLimit(limit int) (int, error) {
	switch {
	case limit == 0:
		return api.DefaultLimit, nil
	case limit < 0 || limit > api.MaxLimit:
		return 0, badRequest("limit: %d is not between 1 and %d", limit, api.MaxLimit)
	}
	return limit, nil
}
