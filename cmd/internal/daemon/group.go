package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting/spool"
	"fairbridge/cmd/internal/system"
)

// Service is a part of the daemon that works beside the others.
type Service struct {
	Name string
	// Run works until its context ends, and leaves nothing of it running. When it
	// returns earlier, with or without an error, all services are ended.
	Run func(context.Context) error
}

// ServiceGroup is services that begin in order and end in the opposite one, each when all
// that began after it have ended.
type ServiceGroup struct {
	Services    []Service
	StopTimeout time.Duration // for one service to end
}

// runningService is a service at work.
type runningService struct {
	Service
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid when done
}

// Run begins all services, waits until the context ends or one of them does, and
// ends all. The error joins those of services that failed, panicked, or did not end
// in time; it names each.
func (g *ServiceGroup) Run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var tasks []*runningService
	for _, s := range g.Services {
		own, stop := context.WithCancel(context.WithoutCancel(ctx))
		t := &runningService{Service: s, cancel: stop, done: make(chan struct{})}
		tasks = append(tasks, t)
		go func() {
			defer end()
			defer close(t.done)
			t.err = t.run(own)
		}()
	}
	<-ctx.Done()
	var errs []error
	for _, t := range slices.Backward(tasks) {
		t.cancel()
		errs = append(errs, t.wait(g.StopTimeout))
	}
	return errors.Join(errs...)
}

// run returns what became of the service; a panic is an error.
func (t *runningService) run(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return t.Run(ctx)
}

// wait returns the error of a service that ends, and one for a service that does
// not.
func (t *runningService) wait(patience time.Duration) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-t.done:
	case <-timer.C:
		return fmt.Errorf("%s did not end within %v", t.Name, patience)
	}
	if t.err != nil {
		return fmt.Errorf("%s: %w", t.Name, t.err)
	}
	return nil
}

// Reports wait for the database: so many lists of a kind at most, and each so long for it. More
// are dropped, since jobs report again.
const (
	maxWaitingReports = 64
	reportTimeout     = 10 * time.Second
)

// reportKeeper has what jobs report, of one kind, stored beside the cycles.
type reportKeeper[Report any] struct {
	kind    string // in the log
	record  func(ctx context.Context, cluster string, list []Report) error
	cluster string
	log     *slog.Logger
	waiting chan []Report
}

func newReportKeeper[Report any](kind string, record func(context.Context, string, []Report) error, cluster string, log *slog.Logger) *reportKeeper[Report] {
	return &reportKeeper[Report]{kind, record, cluster, log, make(chan []Report, maxWaitingReports)}
}

// take has reports stored soon, and never waits.
func (k *reportKeeper[Report]) take(list []Report) {
	select {
	case k.waiting <- list:
	default:
	}
}

// run stores what was taken until the context ends. Why that fails is logged once.
func (k *reportKeeper[Report]) run(ctx context.Context) error {
	lastError := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case list := <-k.waiting:
			err := k.keep(ctx, list)
			if err != "" && err != lastError && ctx.Err() == nil {
				k.log.Warn("reported "+k.kind+" not stored", "reports", len(list), "error", err)
			}
			lastError = err
		}
	}
}

func (k *reportKeeper[Report]) keep(ctx context.Context, list []Report) (failure string) {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	if err := k.record(ctx, k.cluster, list); err != nil {
		return err.Error()
	}
	return ""
}

// addSampleRecorder has what the probes show stored beside the cycles.
func (d *daemon) addSampleRecorder() error {
	if d.File.Probes.URL == "" {
		return nil
	}
	spooled, err := spool.Open(d.File.SpoolDir(), int64(d.File.Probes.SpoolMB)<<20)
	if err != nil {
		return fmt.Errorf("%w (probes.spool in the configuration)", err)
	}
	r := &spool.Recorder{Store: d.DB, Spool: spooled, Cluster: d.File.Cluster, Log: d.log, Timeout: 30 * time.Second, RetryEvery: 5 * time.Second}
	speeds := newReportKeeper("speeds", d.DB.RecordSpeeds, d.File.Cluster, d.log)
	losses := newReportKeeper("losses", d.DB.RecordLosses, d.File.Cluster, d.log)
	requests := newReportKeeper("requests", d.DB.RecordRequests, d.File.Cluster, d.log)
	profiles := newReportKeeper("profiles", d.DB.RecordProfiles, d.File.Cluster, d.log)
	if d.Loop.Probes, err = system.NewProbes(d.File, system.ProbeKeepers{Readings: r.Enqueue, Speeds: speeds.take, Losses: losses.take, Requests: requests.take, Profiles: profiles.take}); err != nil {
		return err
	}
	d.Registry.MustRegister(newRecorderMetrics(r)...)
	d.addService("samples", func(ctx context.Context) error {
		r.Run(ctx)
		return nil
	})
	d.addService("speeds", speeds.run)
	d.addService("losses", losses.run)
	d.addService("requests", requests.run)
	d.addService("profiles", profiles.run)
	return nil
}

// newRecorderMetrics makes the metrics that tell how the recorder stands.
func newRecorderMetrics(r *spool.Recorder) []prometheus.Collector {
	gauge := func(name, help string, of func(spool.RecorderState) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return of(r.State()) })
	}
	counter := func(name, help string, of func(spool.RecorderState) float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return of(r.State()) })
	}
	return []prometheus.Collector{
		counter("fairbridge_readings_stored_total", "GPU readings stored.", func(s spool.RecorderState) float64 { return float64(s.StoredCount) }),
		counter("fairbridge_readings_lost_total", "GPU readings lost: the spool was full.", func(s spool.RecorderState) float64 { return float64(s.LostCount) }),
		gauge("fairbridge_readings_spooled", "GPU readings that wait for the database.", func(s spool.RecorderState) float64 { return float64(s.SpooledCount) }),
		gauge("fairbridge_readings_spooled_bytes", "Disk space they take.", func(s spool.RecorderState) float64 { return float64(s.SpooledBytes) }),
	}
}
