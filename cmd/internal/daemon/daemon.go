// Package daemon is the life of fairbridge run: everything it does beside and
// around the cycles, begun, ended and waited for as one group of services.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"fairbridge/accounting"
	"fairbridge/cmd/internal/system"
)

// patience is how long a service has to end: a call to Slurm under way is
// finished. What systemd allows all of them is twice as long.
const patience = 30 * time.Second

// daemon is a system with what its services share.
type daemon struct {
	*system.System
	log      *slog.Logger
	services []Service // in the order of their beginning
}

// Run runs the daemon until the context ends or one of its services does. The
// system's database is closed when nothing uses it any more.
func Run(ctx context.Context, s *system.System, log *slog.Logger) error {
	d := newDaemon(s, log)
	err := d.prepare(ctx)
	if err == nil {
		err = d.serveHTTP()
	}
	if err != nil {
		s.DB.Close()
		return err
	}
	d.add("upkeep", d.upkeep)
	if s.File.Slurm.Accounting > 0 {
		d.add("record", d.keepRecord)
	}
	d.add("sums", d.keepSums)
	d.add("cycles", d.runCycles)
	return d.run(ctx)
}

// RunOnce runs one cycle, steps down and closes the system's database.
func RunOnce(ctx context.Context, s *system.System, log *slog.Logger) error {
	d := newDaemon(s, log)
	if err := d.prepare(ctx); err != nil {
		s.DB.Close()
		return err
	}
	var cycle error
	d.add("cycle", func(ctx context.Context) error {
		cycle = d.runCycle(ctx)
		return nil
	})
	err := d.run(ctx) // cycle is set only then
	return errors.Join(cycle, err)
}

func newDaemon(s *system.System, log *slog.Logger) *daemon {
	d := &daemon{System: s, log: log}
	d.addCloser("database", s.DB.Close)
	return d
}

func (d *daemon) add(name string, run func(context.Context) error) {
	d.services = append(d.services, Service{name, run})
}

// addCloser adds what is open until its turn to end comes.
func (d *daemon) addCloser(name string, closeIt func()) {
	d.add(name, func(ctx context.Context) error {
		<-ctx.Done()
		closeIt()
		return nil
	})
}

func (d *daemon) run(ctx context.Context) error {
	return (&Group{Services: d.services, Patience: patience}).Run(ctx)
}

// prepare checks the database, stores the accounts' shares, and opens what the
// cycles write to beside it.
func (d *daemon) prepare(ctx context.Context) error {
	if err := d.checkDB(ctx); err != nil {
		return err
	}
	if err := d.DB.SetAccounts(ctx, d.File.Cluster, d.File.Shares()); err != nil {
		d.log.Warn("account shares not stored", "error", err)
	}
	if err := d.keepSamples(); err != nil {
		return err
	}
	return d.keepJournal(ctx)
}

// checkDB makes sure that the database is one this program can work with. One that
// is merely out of reach is: the daemon waits for it.
func (d *daemon) checkDB(ctx context.Context) error {
	_, err := d.DB.Status(ctx)
	if errors.Is(err, accounting.ErrUnreachable) || ctx.Err() != nil || err == nil {
		return nil
	}
	return fmt.Errorf("the database: %w", err)
}
