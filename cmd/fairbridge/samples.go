package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting/spool"
)

// keepSamples has what the probes show stored beside the cycles, until stopped.
func (s *stack) keepSamples(ctx context.Context, log *slog.Logger) (stop func(), err error) {
	if s.file.Probes.URL == "" {
		return func() {}, nil
	}
	held, err := spool.Open(s.file.SpoolDir(), int64(s.file.Probes.SpoolMB)<<20)
	if err != nil {
		return nil, fmt.Errorf("%w (probes.spool in the configuration)", err)
	}
	r := &spool.Recorder{Store: s.db, Spool: held, Cluster: s.file.Cluster, Log: log, Timeout: 30 * time.Second, Retry: 5 * time.Second}
	if s.loop.Probes, err = probesOf(s.file, r.Keep); err != nil {
		return nil, err
	}
	s.registry.MustRegister(samplesMetrics(r)...)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	return func() { cancel(); <-done }, nil
}

// samplesMetrics tell how the recorder stands.
func samplesMetrics(r *spool.Recorder) []prometheus.Collector {
	gauge := func(name, help string, of func(spool.State) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return of(r.State()) })
	}
	counter := func(name, help string, of func(spool.State) float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return of(r.State()) })
	}
	return []prometheus.Collector{
		counter("fairbridge_readings_stored_total", "GPU readings stored.", func(s spool.State) float64 { return float64(s.Stored) }),
		counter("fairbridge_readings_lost_total", "GPU readings lost: the spool was full.", func(s spool.State) float64 { return float64(s.Lost) }),
		gauge("fairbridge_readings_spooled", "GPU readings that wait for the database.", func(s spool.State) float64 { return float64(s.Held) }),
		gauge("fairbridge_readings_spooled_bytes", "Disk space they take.", func(s spool.State) float64 { return float64(s.Bytes) }),
	}
}
