// Package waits tells Prometheus, cycle by cycle, how long jobs wait that nothing but other jobs keeps from
// starting.
package waits

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge/cycle"
	"fairbridge/policy"
)

// Metrics are what the last cycle saw, for Prometheus.
type Metrics struct{ longest *prometheus.GaugeVec }

// NewMetrics makes the metrics and registers them.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "fairbridge", Name: "longest_wait_seconds",
		Help: "The longest time that a job of the partition has waited which could start, were there room."}, []string{"partition"})}
	r.MustRegister(m.longest)
	return m
}

// NoteCycle notes what a cycle saw. One that saw nothing leaves what was seen before, unless another daemon
// leads.
func (m *Metrics) NoteCycle(r *cycle.Report) {
	if len(r.PartitionResults) == 0 && r.Result != cycle.ResultStandby {
		return
	}
	m.longest.Reset()
	for i := range r.PartitionResults {
		if p := &r.PartitionResults[i]; p.Snapshot != nil {
			m.longest.WithLabelValues(p.Partition.Name).Set(longestOf(p.Snapshot).Seconds())
		}
	}
}

func longestOf(s *policy.Snapshot) (longest time.Duration) {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.CanStart(s.Now) {
			longest = max(longest, j.Waited(s.Now))
		}
	}
	return longest
}
