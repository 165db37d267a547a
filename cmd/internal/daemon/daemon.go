// Package daemon is the life of fairbridge run: everything it does beside and
// around the cycles, begun, ended and waited for as one group of services.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/localjournal"
	"fairbridge/accounting/stores"
	"fairbridge/api/answers"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/internal/remind"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
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

// sumInterval is how far reports may be behind the record.
const sumInterval = 5 * time.Minute

// runSums keeps what reports read in step with the record.
func (d *daemon) runSums(ctx context.Context) error {
	return runEvery(ctx, sumInterval, sumInterval, func() {
		if _, err := d.DB.SumDueDays(ctx, d.File.Cluster); err != nil && ctx.Err() == nil {
			d.log.Warn("reports are behind: the record was not summed up", "error", err)
		}
	})
}

// firstUpkeep is how soon after the start what is done once an hour is done first: a daemon that is restarted every
// hour drops old rows too. It leads by then, if it is to.
const firstUpkeep = 5 * time.Minute

// runUpkeep sums up the last hours' GPU readings, drops what is past its retention
// and learns run times, soon after the start and then once an hour; the last also at once.
func (d *daemon) runUpkeep(ctx context.Context) error {
	d.learnRunTimes(ctx)
	return runEvery(ctx, firstUpkeep, time.Hour, func() {
		if _, err := d.DB.RollupDueHours(ctx, d.File.Cluster, time.Now()); err != nil {
			d.log.Warn("GPU readings not summed up", "error", err)
		}
		if err := pruneIfLeading(ctx, d.System); err != nil && ctx.Err() == nil {
			d.log.Warn("old rows not dropped", "error", err)
		}
		d.learnRunTimes(ctx)
	})
}

// pruneIfLeading drops what is past its retention, unless another daemon leads.
func pruneIfLeading(ctx context.Context, s *system.System) error {
	l, err := s.DB.ReadLeader(ctx, s.File.Cluster)
	if err != nil || l == nil || !l.Leads || l.Daemon != s.Loop.DaemonName {
		return err
	}
	_, err = s.DB.Prune(ctx, s.File.Cluster, time.Now(), s.File.Retention())
	return err
}

// learnRunTimes fits the model of run times anew.
func (d *daemon) learnRunTimes(ctx context.Context) {
	got, err := d.DB.Learn(ctx, d.File.Cluster, time.Now())
	switch {
	case err != nil && ctx.Err() == nil:
		d.log.Warn("run times not learnt anew", "error", err)
	case got.ModelID != 0:
		d.log.Info("run times learnt", "model", got.ModelID, "jobs", got.RunCount, "through", got.Through)
	}
}

// runEvery does something again and again until the context ends: first after some time, and
// then so long after it was done last.
func runEvery(ctx context.Context, first, pause time.Duration, do func()) error {
	wait := time.NewTimer(first)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-wait.C:
			do()
			wait.Reset(pause)
		}
	}
}

// firstView is a History that does something before the first view is recorded, and the first after another daemon led, whose
// configuration may be another: by then it is known that Slurm speaks for the configured cluster, and nothing is stored under a
// name that is not one.
type firstView struct {
	bridge.History
	atFirst func(context.Context) error // tried again at the next view when it fails
	log     *slog.Logger
	once    sync.Once
	isDone  bool          // atFirst succeeded
	seen    chan struct{} // closed when a view is recorded for the first time
}

// RecordView records a view.
func (f *firstView) RecordView(ctx context.Context, v *slurm.View) error {
	if !f.isDone {
		err := f.atFirst(ctx)
		if f.isDone = err == nil; err != nil {
			f.log.Warn("account shares and billing weights not stored", "error", err)
		}
	}
	f.once.Do(func() { close(f.seen) })
	return f.History.RecordView(ctx, v)
}

// noteCycle sees in a cycle that another daemon leads.
func (f *firstView) noteCycle(r *cycle.Report) {
	if r.Result == cycle.ResultStandby {
		f.isDone = false
	}
}

// openLocalJournal notes every intent in a local file too, so that release works
// without Postgres.
func (d *daemon) openLocalJournal(ctx context.Context) error {
	path := d.File.Journal
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the directory of the local journal (journal in the configuration): %w", err)
	}
	j, err := localjournal.Open(path)
	if err != nil {
		return fmt.Errorf("%w (journal in the configuration: %s)", err, path)
	}
	if err := j.DamageError(); err != nil {
		d.log.Warn("the local journal has unreadable lines", "error", err)
	}
	tee := &localjournal.Tee{DB: d.DB, Local: j}
	if _, err := tee.UpdateDatabase(ctx, d.File.Cluster); err != nil {
		d.log.Warn("what a release without Postgres undid is not in the database yet", "error", err)
	}
	d.Loop.Journal = tee
	d.addCloser("journal", func() { _ = j.Close() })
	return nil
}

// storeConfigured stores what the configuration says of accounts' shares, and of what GPUs are charged from now on.
func storeConfigured(ctx context.Context, db *stores.Stores, f *settings.File) error {
	if err := db.SetConfiguredAccounts(ctx, f.Cluster, f.AccountShares()); err != nil {
		return err
	}
	return db.SetBillingWeights(ctx, f.Cluster, configAuthor(f.Path()), time.Now(), f.GPUs.BillingWeight)
}

// configAuthor says on whose word billing weights are stored: who runs the daemon, where, by which file.
func configAuthor(configFile string) string {
	host, _ := os.Hostname() // a name less, where it is not known
	who := "uid " + strconv.Itoa(os.Geteuid())
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	return fmt.Sprintf("%s on %s, by %s", who, cmp.Or(host, "a host without a name"), configFile)
}
