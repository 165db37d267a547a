// Package system joins the parts that a configuration names: the database,
// slurmrestd with its writer, the node probes, and the loop over them.
package system

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/cmd/settings"
)

// System is everything that a command or the daemon works with.
type System struct {
	File     *settings.File
	DB       *stores.Stores
	Cluster  *live.LazyCluster
	Loop     *cycle.Loop
	Registry *prometheus.Registry // of the loop's metrics

	Stop *push.StopSwitch // of the loop

	BackfillPatience time.Duration // of views, see live.Cluster; set before the first look

	handsBack       bool // it is no daemon: it only gives back, under a leadership of its own
	ignoresStopFile bool // it writes while a STOP file exists
}

// Open joins the parts, over a database that stays the caller's to close. Slurm is
// not asked yet: the first look connects.
func Open(f *settings.File, db *stores.Stores, log *slog.Logger) (*System, error) {
	s := &System{File: f, DB: db, Registry: prometheus.NewRegistry(), Stop: &push.StopSwitch{}}
	config, err := f.LoopConfig()
	if err != nil {
		return nil, err
	}
	mayStop := slices.ContainsFunc(config.Partitions, func(p bridge.Partition) bool {
		return p.PlanMode().Allows(bridge.ModePreempt)
	})
	s.Cluster = live.NewLazyCluster(func(ctx context.Context) (*live.Cluster, error) {
		return s.dialCluster(ctx, mayStop)
	})
	probes, err := NewProbes(f, ProbeKeepers{})
	if err != nil {
		return nil, err
	}
	s.Loop, err = cycle.New(config, cycle.Parts{
		Cluster: s.Cluster, Journal: db, Leadership: db, History: db, ExpirerStatus: db, Demotions: db, OperatorActions: db, StopSwitch: s.Stop, Probes: probes,
		Metrics: cycle.NewMetrics(s.Registry), Log: log, Now: time.Now,
	})
	return s, err
}

// OpenDB returns the database of the configuration. It is not asked anything yet:
// an error is one of the connection string.
func OpenDB(ctx context.Context, f *settings.File) (*stores.Stores, error) {
	return openDB(ctx, f, accounting.Config{})
}

// Connections of a daemon's answers: questions that take long wait for each other, not the loop for them.
const (
	answersMaxConns         = 4
	answersStatementTimeout = 5 * time.Second
)

// OpenAnswersDB is OpenDB for answers to users beside the loop: with connections of their own, so that
// no question keeps the loop from its database, and less time for a statement.
func OpenAnswersDB(ctx context.Context, f *settings.File) (*stores.Stores, error) {
	return openDB(ctx, f, accounting.Config{MaxConns: answersMaxConns, StatementTimeout: answersStatementTimeout})
}

// openDB opens the database of the configuration with some connections.
func openDB(ctx context.Context, f *settings.File, c accounting.Config) (*stores.Stores, error) {
	var err error
	if c.DSN, err = f.DSN(); err != nil {
		return nil, err
	}
	db, err := stores.Open(ctx, c)
	if err == nil {
		db.HalfLife = f.Database.HalfLife
	}
	return db, err
}

// OpenREST returns the client of the slurmrestd of the configuration.
func OpenREST(ctx context.Context, f *settings.File) (*rest.Client, error) {
	return rest.Open(ctx, f.RESTConfig(), rest.PollConfig{FullEvery: f.Slurm.Refresh})
}

// checkMayWrite is asked by the writer before each write.
func (s *System) checkMayWrite(ctx context.Context) error {
	if s.handsBack {
		return ctx.Err()
	}
	return s.Loop.CheckMayPush(ctx)
}

func (s *System) dialCluster(ctx context.Context, mayStop bool) (*live.Cluster, error) {
	f, stop := s.File, s.File.StopFile
	if s.ignoresStopFile {
		stop = ""
	}
	client, err := OpenREST(ctx, f)
	if err != nil {
		return nil, err
	}
	if t, err := client.Token(); err == nil && t.WeaknessWarning(time.Now()) != "" {
		s.Loop.Log.Warn(t.WeaknessWarning(time.Now()), "see", "fairbridge doctor")
	}
	c := live.New(client, writer.New(client, writer.Config{
		CheckMayWrite: s.checkMayWrite, StopFile: stop, Rate: f.Slurm.Rate, Scontrol: f.Slurm.Scontrol, Scancel: f.Slurm.Scancel,
		LeaseMax: f.Gate.LeaseMax, AllowHardHold: f.Gate.IAcceptOrphanHolds,
	}))
	c.Scontrol, c.ReadsLimits, c.BackfillPatience = f.Slurm.Scontrol, mayStop, s.BackfillPatience
	return c, nil
}
