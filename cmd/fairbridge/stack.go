package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm/door"
	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/cmd/settings"
)

// stack is everything a command works with, joined after the configuration.
type stack struct {
	file     *settings.File
	db       *accounting.DB
	cluster  *live.Lazy
	loop     *cycle.Loop
	registry *prometheus.Registry
	releases bool // not the daemon: it only gives back, under leadership of its own
	heedless bool // it writes while a STOP file exists
}

// open joins the parts. Slurm is not asked yet: the first look connects.
func (o *options) open(ctx context.Context, log *slog.Logger) (*stack, error) {
	f, err := o.load()
	if err != nil {
		return nil, err
	}
	s := &stack{file: f, registry: prometheus.NewRegistry()}
	if s.db, err = openDB(ctx, f); err != nil {
		return nil, err
	}
	s.cluster = live.NewLazy(func(ctx context.Context) (*live.Cluster, error) { return s.dial(ctx) })
	config, err := f.Loop()
	if err != nil {
		return nil, err
	}
	measured, err := probesOf(f, nil)
	if err != nil {
		return nil, err
	}
	s.loop, err = cycle.New(config, cycle.Parts{
		Cluster: s.cluster, Journal: s.db, Leadership: s.db, History: s.db, Expiry: s.db, Probes: measured,
		Metrics: cycle.NewMetrics(s.registry), Log: log, Now: time.Now,
	})
	return s, err
}

func (s *stack) close() { s.db.Close() }

// mayWrite is asked by the door before each write.
func (s *stack) mayWrite(ctx context.Context) error {
	if s.releases {
		return ctx.Err()
	}
	return s.loop.MayPush(ctx)
}

func (s *stack) dial(ctx context.Context) (*live.Cluster, error) {
	f, stop := s.file, s.file.StopFile
	if s.heedless {
		stop = ""
	}
	client, err := rest.Open(ctx, f.REST(), rest.Poll{FullEvery: f.Slurm.Refresh})
	if err != nil {
		return nil, err
	}
	if t, err := client.Token(); err == nil && t.Careless(time.Now()) != "" {
		s.loop.Log.Warn(t.Careless(time.Now()), "see", "fairbridge doctor")
	}
	c := live.New(client, door.New(client, door.Config{
		MayWrite: s.mayWrite, StopFile: stop, Rate: f.Slurm.Rate, Scontrol: f.Slurm.Scontrol, Scancel: f.Slurm.Scancel,
		LeaseMax: f.Gate.LeaseMax, AllowHardHold: f.Gate.IAcceptOrphanHolds,
	}))
	c.Scontrol = f.Slurm.Scontrol
	return c, nil
}

func openDB(ctx context.Context, f *settings.File) (*accounting.DB, error) {
	dsn, err := f.DSN()
	if err != nil {
		return nil, usageError{err}
	}
	db, err := accounting.Open(ctx, accounting.Config{DSN: dsn, HalfLife: f.Database.HalfLife})
	if err != nil { // nothing was asked yet: it is the connection string
		return nil, usageError{err}
	}
	return db, nil
}

// fit makes sure that the database is one this binary can work with. One that
// is merely out of reach is fit: the daemon waits for it.
func (s *stack) fit(ctx context.Context) error {
	_, err := s.db.Status(ctx)
	if errors.Is(err, accounting.ErrUnreachable) || ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	return nil
}
