// Package counts tells Prometheus of idle GPUs and of messages to their owners.
package counts

import (
	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are of the daemon that tells.
type Metrics struct {
	idle     prometheus.Gauge
	messages *prometheus.CounterVec
	failures prometheus.Counter
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		idle:     prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fairbridge", Name: "idle_gpus", Help: "GPUs that running jobs hold idle for ten minutes or more, at the last look for reminders."}),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "fairbridge", Name: "reminders_total", Help: "Messages to owners of idle GPUs, by what became of them."}, []string{"outcome"}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "fairbridge", Name: "reminder_look_failures_total", Help: "Looks for idle GPUs that failed: no owner was told."}),
	}
	r.MustRegister(m.idle, m.messages, m.failures)
	return m
}

// NoteLook notes how many GPUs are idle and how many messages were withheld.
func (m *Metrics) NoteLook(idleGPUs, withheld int) {
	m.idle.Set(float64(idleGPUs))
	m.messages.WithLabelValues("withheld").Add(float64(withheld))
}

// NoteMessage notes that a message was sent, or was not.
func (m *Metrics) NoteMessage(isSent bool) {
	outcome := "failed"
	if isSent {
		outcome = "sent"
	}
	m.messages.WithLabelValues(outcome).Inc()
}

// NoteFailure notes that a look failed.
func (m *Metrics) NoteFailure() { m.failures.Inc() }
