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

// startCounter counts the starts that cycles see by what the last plan wanted of the job.
type startCounter struct {
	starts      *prometheus.CounterVec
	byPartition map[string]*partitionStarts
}

// partitionStarts is what the last cycle of a partition saw.
type partitionStarts struct {
	isRunning map[policy.JobID]bool
	verbs     map[policy.JobID]policy.Verb // of the last plan
}

func newStartCounter(r prometheus.Registerer) *startCounter {
	c := &startCounter{byPartition: map[string]*partitionStarts{}}
	c.starts = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "fairbridge", Name: "starts_total",
		Help: "Starts of jobs that a cycle saw running, by what the last plan wanted of the job: start, wait, or " +
			"unseen where no plan saw it wait. Jobs that end before a cycle are not counted."},
		[]string{"partition", "plan"})
	r.MustRegister(c.starts)
	return c
}

// forget forgets what ran: another daemon leads, and sees who starts.
func (c *startCounter) forget() { clear(c.byPartition) }

// note takes a partition of a cycle. The first one of a partition only learns what runs.
func (c *startCounter) note(p *cycle.PartitionResult) {
	last, now := c.byPartition[p.Partition.Name], &partitionStarts{isRunning: map[policy.JobID]bool{}}
	for i := range p.Snapshot.Jobs {
		j := &p.Snapshot.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		now.isRunning[j.ID] = true
		if last != nil && !last.isRunning[j.ID] {
			c.starts.WithLabelValues(p.Partition.Name, last.word(j.ID)).Inc()
		}
	}
	switch {
	case p.PolicyPlan != nil:
		now.verbs = verbsOf(p.PolicyPlan)
	case last != nil: // the policy failed: what it wanted last holds
		now.verbs = last.verbs
	}
	c.byPartition[p.Partition.Name] = now
}

func verbsOf(p *policy.Plan) map[policy.JobID]policy.Verb {
	verbs := map[policy.JobID]policy.Verb{}
	for i := range p.Decisions {
		verbs[p.Decisions[i].Job] = p.Decisions[i].Verb
	}
	return verbs
}

// word says what the last plan wanted of a job that has started.
func (p *partitionStarts) word(id policy.JobID) string {
	switch verb, isSeen := p.verbs[id]; {
	case !isSeen:
		return "unseen"
	case verb == policy.Start:
		return "start"
	}
	return "wait"
}
