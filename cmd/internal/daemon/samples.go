package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting/spool"
	"fairbridge/cmd/internal/system"
)

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
