package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/policy/catalogue"
)

// timedCluster is a cluster that is only read. It notes what reading cost.
type timedCluster struct {
	*rest.Client
	lastPoll pollCost
}

// pollCost is what one poll cost us.
type pollCost struct {
	wallTime, ownCPUTime time.Duration
	readBytes            int64 // read from slurmrestd
	jobCount             int
	readWholeList        bool
}

// Observe polls and measures. Nothing else of ours reads meanwhile.
func (r *timedCluster) Observe(ctx context.Context) (*slurm.View, error) {
	before, err := readProcField(ownPID, "io", "rchar")
	if err != nil {
		return nil, err
	}
	from, cpu := time.Now(), readOwnCPUTime()
	v, err := r.Client.Observe(ctx)
	if err != nil {
		return nil, err
	}
	r.lastPoll = pollCost{
		wallTime:      time.Since(from),
		ownCPUTime:    readOwnCPUTime() - cpu,
		jobCount:      len(v.Jobs),
		readWholeList: v.IsFullRead,
	}
	after, err := readProcField(ownPID, "io", "rchar")
	r.lastPoll.readBytes = after - before
	return v, err
}

// ApplyEdit refuses: this command observes.
func (r *timedCluster) ApplyEdit(context.Context, slurm.Edit) error {
	return errors.New("slurmbench cycles changes nothing")
}

// timedStore is the database. It notes how long its calls took.
type timedStore struct {
	*stores.Stores
	timeByCall map[string]time.Duration
}

func (s *timedStore) addTime(call string, from time.Time) { s.timeByCall[call] += time.Since(from) }

// RecordView stores what a view shows.
func (s *timedStore) RecordView(ctx context.Context, v *slurm.View) error {
	defer s.addTime("record", time.Now())
	return s.Stores.RecordView(ctx, v)
}

// Past reads usage and history.
func (s *timedStore) Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error) {
	defer s.addTime("past", time.Now())
	return s.Stores.Past(ctx, cluster, now)
}

// StoreIntents stores the cycle.
func (s *timedStore) StoreIntents(ctx context.Context, c *bridge.Cycle, in []bridge.Intent) ([]bridge.Intent, error) {
	defer s.addTime("store", time.Now())
	return s.Stores.StoreIntents(ctx, c, in)
}

// loopUnderTest is fairbridge beside the site.
type loopUnderTest struct {
	loop    *cycle.Loop
	cluster *timedCluster
	store   *timedStore
}

// newLoopUnderTest joins a loop that observes. Its database keeps what earlier ones
// stored, as that of a restarted daemon does.
func newLoopUnderTest(
	ctx context.Context,
	s *cycleSite,
	policyName string,
	poll rest.PollConfig,
) (*loopUnderTest, error) {
	client, err := rest.Open(
		ctx,
		rest.Config{URL: s.slurm.URL, TokenFile: s.slurm.TokenFile, User: s.slurm.TokenUser},
		poll,
	)
	if err != nil {
		return nil, err
	}
	db, err := stores.Open(ctx, accounting.Config{DSN: s.postgres.DSN("postgres")})
	if err != nil {
		return nil, err
	}
	b := &loopUnderTest{
		cluster: &timedCluster{Client: client},
		store:   &timedStore{Stores: db, timeByCall: map[string]time.Duration{}},
	}
	if _, err = db.Migrate(ctx); err == nil {
		err = b.becomeLeader(policyName)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *loopUnderTest) becomeLeader(policyName string) error {
	entry, err := catalogue.FindSystem(policyName)
	if err != nil {
		return err
	}
	decide, err := entry.New(nil)
	if err != nil {
		return err
	}
	c := bridge.DefaultConfig()
	c.ClusterName, c.DaemonName, c.StopFile = "lab", "slurmbench", ""
	c.Partitions = []bridge.Partition{
		{Name: partitionName, Mode: bridge.ModeObserve, Policy: policyName, DecidingPolicy: decide},
	}
	b.loop, err = cycle.New(c, cycle.Parts{
		Cluster: b.cluster, Journal: b.store, Leadership: b.store, History: b.store, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{},
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	return err
}

// runCycle runs a cycle. Doubt is an error here: it would make a cycle cheap.
func (b *loopUnderTest) runCycle(ctx context.Context) (cycle.Report, error) {
	clear(b.store.timeByCall)
	r := b.loop.Step(ctx)
	for _, d := range r.Doubts {
		return r, fmt.Errorf("%s: %w", d.Cause, d.Err)
	}
	if len(r.PartitionResults) == 0 {
		return r, fmt.Errorf("the cycle ended as %s by %s", r.Result, r.LeaderName)
	}
	return r, nil
}

func (b *loopUnderTest) close() { b.store.Close() }
