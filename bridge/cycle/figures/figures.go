// Package figures tells Prometheus, cycle by cycle, how many GPUs are free, how many of them waiting jobs cannot use
// (see package fragment), how long jobs wait that nothing but other jobs keeps from starting, and which starts
// plans wanted.
package figures

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge/cycle"
	"fairbridge/policy"
	"fairbridge/policy/fragment"
)

// Metrics are what the last cycle saw, for Prometheus.
type Metrics struct {
	free, unusable, meanUnusable, blocked, longestWait *prometheus.GaugeVec
	starts                                             *startCounter
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(r prometheus.Registerer) *Metrics {
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "fairbridge", Name: name, Help: help},
			append([]string{"partition"}, labels...))
		r.MustRegister(g)
		return g
	}
	return &Metrics{
		free:         gauge("free_gpus", "Healthy GPUs that no job holds, on nodes that are up.", "gpu_type"),
		unusable:     gauge("unusable_gpus", "Free GPUs that no waiting job could use where they are, though some would take the type.", "gpu_type"),
		meanUnusable: gauge("mean_unusable_gpus", "Free GPUs that a waiting job could not use, on average over those that wait.", "gpu_type"),
		blocked:      gauge("blocked_gpus", "GPUs asked for by waiting jobs that could not start although as many were free where they may run.", "gpu_type"),
		longestWait: gauge("longest_wait_seconds",
			"The longest time that a job of the partition has waited which could start, were there room."),
		starts: newStartCounter(r),
	}
}

// NoteCycle notes what a cycle saw. One that saw nothing leaves what was seen before, unless another daemon
// leads.
func (m *Metrics) NoteCycle(r *cycle.Report) {
	if len(r.PartitionResults) == 0 && r.Result != cycle.ResultStandby {
		return
	}
	for _, g := range []*prometheus.GaugeVec{m.free, m.unusable, m.meanUnusable, m.blocked, m.longestWait} {
		g.Reset()
	}
	if r.Result == cycle.ResultStandby {
		m.starts.forget()
	}
	for i := range r.PartitionResults {
		if p := &r.PartitionResults[i]; p.Snapshot != nil {
			m.starts.note(p)
			m.notePartition(p.Partition.Name, fragment.Measure(p.Snapshot))
			m.longestWait.WithLabelValues(p.Partition.Name).Set(longestWait(p.Snapshot).Seconds())
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

func longestWait(s *policy.Snapshot) (longest time.Duration) {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.CanStart(s.Now) {
			longest = max(longest, j.Waited(s.Now))
		}
	}
	return longest
}
