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
	"fairbridge/accounting/stores"
	"fairbridge/api/answers"
	"fairbridge/cmd/internal/remind"
	"fairbridge/cmd/internal/system"
)

// stopTimeout is how long a service has to end: a call to Slurm under way is
// finished. What systemd allows all of them is twice as long.
const stopTimeout = 30 * time.Second

// daemon is a system with what its services share.
type daemon struct {
	*system.System
	log      *slog.Logger
	services []Service // in the order of their beginning
	// firstViewSeen is closed once Slurm has proven to be the configured cluster.
	firstViewSeen chan struct{}

	recorded *firstView // the loop's history

	areDoubtsClear bool   // the record says that nothing is in doubt
	lastDoubtError string // why what is in doubt was not recorded; "" when it was

	answers   *answers.Service // of the API; nil: none is served
	answersDB *stores.Stores   // of answers alone: no question keeps the loop from its database

	reminders *remind.Service // nil: owners of idle GPUs are not told

	estimateKeepers   map[string]*estimateKeeper // by partition
	lastEstimateError string                     // why estimates were not stored; "" when they were
}

// Run runs the daemon until the context ends or one of its services does. The
// system's database is closed when nothing uses it any more.
func Run(ctx context.Context, s *system.System, log *slog.Logger) error {
	d := newDaemon(s, log)
	err := d.prepare(ctx)
	if err == nil {
		d.reminders, err = remind.New(s.File, s.DB.Reminders, s.Registry, log)
	}
	if err == nil {
		err = errors.Join(d.serveHTTP(), d.serveAPI())
	}
	if err != nil {
		s.DB.Close()
		return err
	}
	d.addService("upkeep", d.runUpkeep)
	if s.File.Slurm.Accounting > 0 {
		d.addService("record", d.runImports)
	}
	d.addService("sums", d.runSums)
	if d.reminders != nil {
		d.addService("reminders", d.reminders.Run)
	}
	d.addService("cycles", d.runCycles)
	return d.runServices(ctx)
}

// RunOnce runs one cycle, steps down and closes the system's database.
func RunOnce(ctx context.Context, s *system.System, log *slog.Logger) error {
	d := newDaemon(s, log)
	if err := d.prepare(ctx); err != nil {
		s.DB.Close()
		return err
	}
	var cycle error
	d.addService("cycle", func(ctx context.Context) error {
		cycle = d.runCycle(ctx)
		return nil
	})
	err := d.runServices(ctx) // cycle is set only then
	return errors.Join(cycle, err)
}

func newDaemon(s *system.System, log *slog.Logger) *daemon {
	d := &daemon{System: s, log: log, firstViewSeen: make(chan struct{}), estimateKeepers: map[string]*estimateKeeper{}}
	d.addCloser("database", s.DB.Close)
	return d
}

func (d *daemon) addService(name string, run func(context.Context) error) {
	d.services = append(d.services, Service{name, run})
}

// addCloser adds what is open until its turn to end comes.
func (d *daemon) addCloser(name string, closeIt func()) {
	d.addService(name, func(ctx context.Context) error {
		<-ctx.Done()
		closeIt()
		return nil
	})
}

func (d *daemon) runServices(ctx context.Context) error {
	return (&ServiceGroup{Services: d.services, StopTimeout: stopTimeout}).Run(ctx)
}

// prepare checks the database, has the accounts' shares stored once Slurm proves to be the
// configured cluster, and opens what the cycles write to beside it.
func (d *daemon) prepare(ctx context.Context) error {
	if err := d.checkDB(ctx); err != nil {
		return err
	}
	d.recorded = &firstView{History: d.Loop.History, log: d.log, seen: d.firstViewSeen, atFirst: func(ctx context.Context) error {
		return storeConfigured(ctx, d.DB, d.File)
	}}
	d.Loop.History = d.recorded
	if err := d.addSampleRecorder(); err != nil {
		return err
	}
	return d.openLocalJournal(ctx)
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
