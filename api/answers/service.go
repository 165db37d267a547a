package answers

import (
	"context"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/samples"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/answers/heavy"
	"fairbridge/api/answers/kept"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
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
	limits  *kept.Value[[]slurm.Partition]
	heavy   *heavy.Turn
	whens   kept.Answers[whenKey, *api.When]
	smaller kept.Answers[smallerKey, []string]
	sums    *kept.Value[struct{}]
	waits   estimateCache
	starts  *kept.Value[map[string]*journal.StartCounts]
	learnt  learntByPartition

	readings *kept.Value[[]samples.LastReading]
}

// New makes the service.
func New(c Config, p Parts) *Service {
	names := make([]string, len(c.Partitions))
	for i := range c.Partitions {
		names[i] = c.Partitions[i].Name
	}
	p.Slurm = boundedSlurm{p.Slurm, make(chan struct{}, maxPeeks)}
	s := &Service{Config: c, parts: p, heavy: heavy.NewTurn()}
	s.cycles = lastcycle.NewCache(p.Record, c.Cluster, names, c.MaxCycleAge, p.Now)
	s.daemon = newDaemonCache(p.Record, c.Cluster, c.MaxCycleAge, p.Now)
	s.limits = kept.New(limitsFreshFor, p.Now, p.Slurm.ReadPartitions)
	s.starts = kept.New(startsFreshFor, p.Now, s.countStarts)
	s.sums = kept.New(sumsFreshFor, p.Now, s.sumUp)
	s.readings = kept.New(readingsFreshFor, p.Now, s.readReadings)
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
