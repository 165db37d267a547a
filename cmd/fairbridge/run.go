package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"fairbridge/accounting/localjournal"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
)

func newRun(o *options) *cobra.Command {
	var once, root bool
	c := &cobra.Command{
		Use:   "run",
		Short: "Run the daemon",
		Long: `Run the daemon: a cycle every interval, until SIGTERM. Leases stay when it ends;
they run out by themselves. A STOP file (stop_file in the configuration) halts all
pushing within a second. A second daemon for the same cluster stands by. As root the
daemon does not start, unless --allow-root is given.`,
		Example: `  fairbridge run --config /etc/fairbridge/fairbridge.yaml
  fairbridge run --once      one cycle, then exit`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := o.load()
			if err != nil {
				return err
			}
			if err := notRoot(os.Geteuid(), once || root); err != nil {
				return err
			}
			log := f.Logger(c.ErrOrStderr())
			s, err := o.open(c.Context(), log)
			if err != nil {
				return err
			}
			defer s.close()
			return s.run(c.Context(), log, once)
		},
	}
	c.Flags().BoolVar(&root, "allow-root", false, "run the daemon as root, as in a container that has no other user")
	c.Flags().BoolVar(&once, "once", false, "run one cycle and exit; it pushes only where warmup is 0")
	return c
}

// notRoot refuses to run a daemon as root.
func notRoot(uid int, allowed bool) error {
	if uid != 0 || allowed {
		return nil
	}
	return usageError{errors.New("the daemon needs none of root's rights, and a fault in it would have them all: " +
		"run it as a user of its own (fairbridge.service, or sudo -u fairbridge fairbridge run); with --allow-root it runs all the same")}
}

func (s *stack) run(ctx context.Context, log *slog.Logger, once bool) error {
	if err := s.fit(ctx); err != nil {
		return err
	}
	if err := s.entitle(ctx); err != nil {
		log.Warn("account shares not stored", "error", err)
	}
	stored, err := s.keepSamples(ctx, log)
	if err != nil {
		return err
	}
	defer stored()
	done, err := s.keepJournal(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	if once {
		return s.once(ctx)
	}
	stop, err := s.serve(log)
	if err != nil {
		return err
	}
	defer stop()
	go s.tidy(ctx, log)
	go s.keepRecord(ctx, log)
	go s.sumUp(ctx, log)
	log.Info("fairbridge runs", "cluster", s.file.Cluster, "interval", s.file.Interval, "partitions", s.file.Modes(), "metrics", s.file.Listen)
	s.loop.Done = func(r *cycle.Report) {
		_, _ = daemon.SdNotify(false, daemon.SdNotifyWatchdog)
		s.reached(r, log)
	}
	_, _ = daemon.SdNotify(false, daemon.SdNotifyReady)
	err = s.loop.Run(ctx)
	_, _ = daemon.SdNotify(false, daemon.SdNotifyStopping)
	log.Info("fairbridge ends; leases run out by themselves")
	return err
}

// reached lets fairbridge expire have the local journal while the database is
// out of reach.
func (s *stack) reached(r *cycle.Report, log *slog.Logger) {
	tee, ok := s.loop.Journal.(*localjournal.Tee)
	if !ok {
		return
	}
	if err := tee.Reached(r.Epoch != 0 || r.Result == cycle.Standby, time.Now(), s.loop.ExpireAfter()); err != nil {
		log.Warn("the local journal is not free for fairbridge expire", "error", err)
	}
}

// once runs one cycle and steps down.
func (s *stack) once(ctx context.Context) error {
	r := s.loop.Step(ctx)
	if r.Result == cycle.Standby {
		return fmt.Errorf("%s leads: nothing was done; stop it first, or look with fairbridge plan", r.Holder)
	}
	if r.Epoch != 0 {
		if err := s.db.Resign(context.WithoutCancel(ctx), s.file.Cluster, s.loop.Holder); err != nil {
			r.Doubts = append(r.Doubts, bridge.Doubt{Cause: bridge.CauseLeader, Err: err})
		}
	}
	if len(r.Doubts) > 0 {
		return fmt.Errorf("%s: %w", r.Doubts[0].Cause, r.Doubts[0].Err)
	}
	return nil
}

// entitle stores the accounts' shares of the configuration.
func (s *stack) entitle(ctx context.Context) error {
	return s.db.SetAccounts(ctx, s.file.Cluster, s.file.Shares())
}

// keepJournal notes every intent in a local file too, so that release works
// without Postgres.
func (s *stack) keepJournal(ctx context.Context, log *slog.Logger) (done func(), err error) {
	if s.file.Journal == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(filepath.Dir(s.file.Journal), 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of the local journal (journal in the configuration): %w", err)
	}
	j, err := localjournal.Open(s.file.Journal)
	if err != nil {
		return nil, fmt.Errorf("%w (journal in the configuration: %s)", err, s.file.Journal)
	}
	if err := j.Damage(); err != nil {
		log.Warn("the local journal has unreadable lines", "error", err)
	}
	tee := &localjournal.Tee{DB: s.db, Local: j}
	if _, err := tee.CatchUp(ctx, s.file.Cluster); err != nil {
		log.Warn("what a release without Postgres undid is not in the database yet", "error", err)
	}
	s.loop.Journal = tee
	return func() { _ = j.Close() }, nil
}

// serve offers metrics and health over HTTP.
func (s *stack) serve(log *slog.Logger) (stop func(), err error) {
	if s.file.Listen == "" {
		return func() {}, nil
	}
	s.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	l, err := net.Listen("tcp", s.file.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening for metrics on %s (listen in the configuration): %w", s.file.Listen, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are no longer served", "error", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}

// tidy sums up the last hours' GPU readings, drops what is past its retention
// and learns run times, once an hour; the last also at once.
func (s *stack) tidy(ctx context.Context, log *slog.Logger) {
	s.learn(ctx, log)
	for tick := time.NewTicker(time.Hour); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if _, err := s.db.RollupDue(ctx, s.file.Cluster, time.Now()); err != nil {
			log.Warn("GPU readings not summed up", "error", err)
		}
		if _, err := s.db.Prune(ctx, s.file.Cluster, time.Now(), s.file.Keep()); err != nil {
			log.Warn("old rows not dropped", "error", err)
		}
		s.learn(ctx, log)
	}
}

// learn fits the model of run times anew.
func (s *stack) learn(ctx context.Context, log *slog.Logger) {
	got, err := s.db.Learn(ctx, s.file.Cluster, time.Now())
	switch {
	case err != nil && ctx.Err() == nil:
		log.Warn("run times not learnt anew", "error", err)
	case got.Model != 0:
		log.Info("run times learnt", "model", got.Model, "jobs", got.Runs, "through", got.Through)
	}
}
