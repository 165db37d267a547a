package answers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/report"
	"fairbridge/accounting/samples"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/whatif"
	"fairbridge/policy"
)

// Config is what the service is told of the cluster.
type Config struct {
	Cluster    string
	Version    string
	Partitions []bridge.Partition // as configured, with what decides in them
	// MaxCycleAge is the age beyond which the last cycle says little of the present.
	MaxCycleAge time.Duration
	// SumsFirst: what changed since the daemon last summed up is summed up before a report. It is for
	// commands, which run once; the daemon sums up by itself.
	SumsFirst bool
}

// Slurm is asked for what the record does not have; that gives the daemon's own polls no work. bridge/slurm/live
// fills it.
type Slurm interface {
	PeekJob(ctx context.Context, id int64) (slurm.Job, error)
	ReadPartitions(ctx context.Context) ([]slurm.Partition, error)
}

// maxPeeks is how many jobs Slurm is asked for at once, by all users together.
const maxPeeks = 4

// boundedSlurm asks Slurm for so many jobs at once.
type boundedSlurm struct {
	Slurm
	asking chan struct{} // one for each who asks
}

// PeekJob waits for its turn as long as the context lasts; then it is an *api.Error that says so.
func (b boundedSlurm) PeekJob(ctx context.Context, id int64) (slurm.Job, error) {
	select {
	case b.asking <- struct{}{}:
		defer func() { <-b.asking }()
		return b.Slurm.PeekJob(ctx, id)
	case <-ctx.Done():
		return slurm.Job{}, &api.Error{Code: api.CodeUnavailable, Message: "busy: others ask Slurm for jobs", Try: "try again in a few seconds"}
	}
}

// Parts is what the service works with.
type Parts struct {
	Record  *stores.Stores
	Slurm   Slurm
	Privacy func() api.Privacy // what is private now
	Now     func() time.Time
}

// Service answers. Its methods may be called side by side. Errors are *api.Error.
type Service struct {
	Config
	parts   Parts
	cycles  *lastcycle.Cache
	daemon  *daemonCache
	limits  *keptValue[[]slurm.Partition]
	heavy   *turn
	whens   keptAnswers[whenKey, *api.When]
	smaller keptAnswers[smallerKey, []string]
	sums    *keptValue[struct{}]
	waits   estimateCache
	starts  *keptValue[map[string]*journal.StartCounts]
	learnt  learntByPartition

	readings *keptValue[[]samples.LastReading]
}

// New makes the service.
func New(c Config, p Parts) *Service {
	names := make([]string, len(c.Partitions))
	for i := range c.Partitions {
		names[i] = c.Partitions[i].Name
	}
	p.Slurm = boundedSlurm{p.Slurm, make(chan struct{}, maxPeeks)}
	s := &Service{Config: c, parts: p, heavy: newTurn()}
	s.cycles = lastcycle.NewCache(p.Record, c.Cluster, names, c.MaxCycleAge, p.Now)
	s.daemon = newDaemonCache(p.Record, c.Cluster, c.MaxCycleAge, p.Now)
	s.limits = newKept(limitsFreshFor, p.Now, p.Slurm.ReadPartitions)
	s.starts = newKept(startsFreshFor, p.Now, s.countStarts)
	s.sums = newKept(sumsFreshFor, p.Now, s.sumUp)
	s.readings = newKept(readingsFreshFor, p.Now, s.readReadings)
	return s
}

// NoteCycle takes over what the daemon's own cycle did, so that answers need not read it from the
// database. The loop may wait for it: it copies and computes little.
func (s *Service) NoteCycle(r *cycle.Report) {
	s.cycles.Note(r)
	s.daemon.note(r)
}

// partition returns the configured partition of a name; nil: there is none.
func (s *Config) partition(name string) *bridge.Partition {
	for i := range s.Partitions {
		if s.Partitions[i].Name == name {
			return &s.Partitions[i]
		}
	}
	return nil
}

// JobUse tells how a job used what it got.
func (s *Service) JobUse(ctx context.Context, v api.Viewer, text string) (*report.JobUse, error) {
	w, id, o, err := s.openJob(ctx, &v, text)
	if err != nil {
		return nil, err
	}
	if !w.SeesUse(o.user, o.account) {
		return nil, forbidden("usage is private here: how others' jobs used their GPUs is not shown", "explain tells why the job waits, runs or was requeued")
	}
	j, err := s.readJobUse(ctx, id)
	if errors.Is(err, journal.ErrUnknownJob) {
		return nil, unknownJob(w, text)
	}
	if err != nil {
		return nil, toldError(&v, "reading how job "+text+" used its GPUs", err)
	}
	if !w.SeesPlace(o.user, o.account) {
		for i := range j.Runs {
			j.Runs[i].Nodes = ""
		}
		for i := range j.GPUs {
			j.GPUs[i].Node = ""
		}
	}
	return j, nil
}

func (s *Service) readJobUse(ctx context.Context, id policy.JobID) (*report.JobUse, error) {
	if err := s.sumFirst(ctx); err != nil {
		return nil, err
	}
	db := s.parts.Record
	j, err := db.Job(ctx, s.Cluster, id)
	if err != nil {
		return nil, err
	}
	if last := j.Runs[len(j.Runs)-1]; last.Start.IsZero() && !last.IsOver {
		if j.Estimate, err = db.LastEstimate(ctx, s.Cluster, id, last.Arrive); err != nil {
			return nil, err
		}
	}
	j.Address, err = db.JobAddress(ctx, s.Cluster, id)
	return j, err
}

// sumsFreshFor is how long what is summed up is believed to be up to date.
const sumsFreshFor = time.Minute

// sumFirst sums up what changed, where that is asked for.
func (s *Service) sumFirst(ctx context.Context) error {
	if !s.SumsFirst {
		return nil
	}
	_, err := s.sums.Get(ctx)
	return err
}

// sumUp sums up what changed, GPU readings first. A database that lets us only read is as fresh as the
// daemon keeps it.
func (s *Service) sumUp(ctx context.Context) (none struct{}, err error) {
	_, err = s.parts.Record.RollupDueHours(ctx, s.Cluster, s.parts.Now())
	if err == nil {
		_, err = s.parts.Record.SumDueDays(ctx, s.Cluster)
	}
	if errors.Is(err, accounting.ErrUserRefused) || errors.Is(err, accounting.ErrReadOnly) {
		err = nil
	}
	return none, err
}

// smallerKey is a job in a cycle.
type smallerKey struct {
	partition string
	seq       uint64
	job       policy.JobID
}

// maxSmallerWait is how long a story waits for its turn to have smaller requests worked out.
const maxSmallerWait = 2 * time.Second

// smallerRequests says which smaller requests of a waiting job the policy would have started in the
// cycle. It is worked out once for each cycle; none are said when others, or another request of the
// viewer's, keep us from working it out in time.
func (e jobRequest) smallerRequests(ctx context.Context, c *lastcycle.Cycle, id policy.JobID) []string {
	p := e.partition(c.Partition)
	key := smallerKey{c.Partition, c.Seq, id}
	if known, ok := e.smaller.Get(key); ok || p == nil {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, maxSmallerWait)
	defer cancel()
	done, err := e.heavy.Take(ctx, e.Viewer.User)
	if err != nil {
		return nil
	}
	defer done()
	if known, ok := e.smaller.Get(key); ok {
		return known
	}
	var requests []string
	for _, smaller := range whatif.FindSmallerRequests(c.Snapshot, id, p.PolicyOf(c.Policy, c.Params), e.parts.Now) {
		requests = append(requests, smallerRequestText(c.Snapshot.Job(id), &smaller))
	}
	e.smaller.Put(key, requests)
	return requests
}

// smallerRequestText says what is smaller about a job.
func smallerRequestText(was, is *policy.Job) string {
	switch {
	case is.Ask.GPUs.Count == was.Ask.GPUs.Count:
		return "a time limit of " + policy.FormatDuration(is.Limit)
	case is.Ask.MinNodes > 1:
		return fmt.Sprintf("%s on %d nodes", is.Ask.GPUs, is.Ask.MinNodes)
	}
	return is.Ask.GPUs.String()
}
