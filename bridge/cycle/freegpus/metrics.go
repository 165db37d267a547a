// Package freegpus tells Prometheus, cycle by cycle, how many GPUs are free, and how many of them waiting
// jobs cannot use. See package fragment.
package freegpus

import (
	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge/cycle"
	"fairbridge/policy/fragment"
)

// Metrics are what the last cycle saw, for Prometheus.
type Metrics struct{ free, unusable, meanUnusable, blocked *prometheus.GaugeVec }

// NewMetrics makes the metrics and registers them.
func NewMetrics(r prometheus.Registerer) *Metrics {
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "fairbridge", Name: name, Help: help}, []string{"partition", "gpu_type"})
	}
	m := &Metrics{
		free:         gauge("free_gpus", "Healthy GPUs that no job holds, on nodes that are up."),
		unusable:     gauge("unusable_gpus", "Free GPUs that no waiting job could use where they are, though some would take the type."),
		meanUnusable: gauge("mean_unusable_gpus", "Free GPUs that a waiting job could not use, on average over those that wait."),
		blocked:      gauge("blocked_gpus", "GPUs asked for by waiting jobs that could not start although as many were free where they may run."),
	}
	r.MustRegister(m.free, m.unusable, m.meanUnusable, m.blocked)
	return m
}

// NoteCycle notes what a cycle saw. One that saw nothing leaves what was seen before, unless another daemon
// leads.
func (m *Metrics) NoteCycle(r *cycle.Report) {
	if len(r.PartitionResults) == 0 && r.Result != cycle.ResultStandby {
		return
	}
	for _, g := range []*prometheus.GaugeVec{m.free, m.unusable, m.meanUnusable, m.blocked} {
		g.Reset()
	}
	for i := range r.PartitionResults {
		if p := &r.PartitionResults[i]; p.Snapshot != nil {
			m.notePartition(p.Partition.Name, fragment.Measure(p.Snapshot))
		}
	}
}

func (m *Metrics) notePartition(partition string, seen fragment.Measurement) {
	for i := range seen.Places {
		p := &seen.Places[i]
		m.free.WithLabelValues(partition, p.Type).Add(float64(p.Free))
		m.unusable.WithLabelValues(partition, p.Type).Add(float64(p.Unusable()))
		m.meanUnusable.WithLabelValues(partition, p.Type).Add(p.MeanUnusable(seen.Waiting))
	}
	for gpuType, n := range seen.BlockedByType {
		if gpuType == "" {
			gpuType = "any"
		}
		m.blocked.WithLabelValues(partition, gpuType).Add(float64(n))
	}
}
