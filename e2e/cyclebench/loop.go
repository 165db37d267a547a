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
	last pollTimes
}

// pollTimes is what one poll cost us.
type pollTimes struct {
	wall, own time.Duration
	bytes     int64 // read from slurmrestd
	jobs      int
	full      bool
}

// Observe polls and measures. Nothing else of ours reads meanwhile.
func (r *timedCluster) Observe(ctx context.Context) (*slurm.View, error) {
	before, err := procField(self, "io", "rchar")
	if err != nil {
		return nil, err
	}
	from, cpu := time.Now(), ownCPU()
	v, err := r.Client.Observe(ctx)
	if err != nil {
		return nil, err
	}
	r.last = pollTimes{wall: time.Since(from), own: ownCPU() - cpu, jobs: len(v.Jobs), full: v.IsFullRead}
	after, err := procField(self, "io", "rchar")
	r.last.bytes = after - before
	return v, err
}

// Apply refuses: this command observes.
func (r *timedCluster) Apply(context.Context, slurm.Edit) error {
	return errors.New("cyclebench changes nothing")
}

// timedStore is the database. It notes how long its calls took.
type timedStore struct {
	*stores.Stores
	spent map[string]time.Duration
}

func (s *timedStore) addTime(call string, from time.Time) { s.spent[call] += time.Since(from) }

// Record stores what a view shows.
func (s *timedStore) Record(ctx context.Context, v *slurm.View) error {
	defer s.addTime("record", time.Now())
	return s.Stores.Record(ctx, v)
}

// Past reads usage and history.
func (s *timedStore) Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error) {
	defer s.addTime("past", time.Now())
	return s.Stores.Past(ctx, cluster, now)
}

// Intend stores the cycle.
func (s *timedStore) Intend(ctx context.Context, c *bridge.Cycle, in []bridge.Intent) ([]bridge.Intent, error) {
	defer s.addTime("store", time.Now())
	return s.Stores.Intend(ctx, c, in)
}

// loopUnderTest is fairbridge beside the site.
type loopUnderTest struct {
	loop   *cycle.Loop
	reader *timedCluster
	store  *timedStore
}

// newBench joins a loop that observes. Its database keeps what earlier ones
// stored, as that of a restarted daemon does.
func newBench(ctx context.Context, s *site, o options, poll rest.Poll) (*loopUnderTest, error) {
	client, err := rest.Open(ctx, rest.Config{URL: s.slurm.URL, TokenFile: s.slurm.TokenFile, User: s.slurm.User}, poll)
	if err != nil {
		return nil, err
	}
	db, err := stores.Open(ctx, accounting.Config{DSN: s.postgres.DSN("postgres")})
	if err != nil {
		return nil, err
	}
	b := &loopUnderTest{reader: &timedCluster{Client: client}, store: &timedStore{Stores: db, spent: map[string]time.Duration{}}}
	if _, err = db.Migrate(ctx); err == nil {
		err = b.join(o)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *loopUnderTest) join(o options) error {
	entry, err := catalogue.FindSystem(o.policy)
	if err != nil {
		return err
	}
	decide, err := entry.New(nil)
	if err != nil {
		return err
	}
	c := bridge.DefaultConfig()
	c.ClusterName, c.Holder, c.StopFile = "lab", "cyclebench", ""
	c.Partitions = []bridge.Partition{{Name: partition, Mode: bridge.Observe, Policy: o.policy, DecidingPolicy: decide}}
	b.loop, err = cycle.New(c, cycle.Parts{
		Cluster: b.reader, Journal: b.store, Leadership: b.store, History: b.store, Probes: bridge.NoProbes{}, Expiry: bridge.NoExpiry{},
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	return err
}

// step runs a cycle. Doubt is an error here: it would make a cycle cheap.
func (b *loopUnderTest) step(ctx context.Context) (cycle.Report, error) {
	clear(b.store.spent)
	r := b.loop.Step(ctx)
	for _, d := range r.Doubts {
		return r, fmt.Errorf("%s: %w", d.Cause, d.Err)
	}
	if len(r.Evaluations) == 0 {
		return r, fmt.Errorf("the cycle ended as %s by %s", r.Result, r.Holder)
	}
	return r, nil
}

func (b *loopUnderTest) close() { b.store.Close() }
