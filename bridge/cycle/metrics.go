package cycle

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Metrics are what the loop counts, for Prometheus.
type Metrics struct {
	cycles            *prometheus.CounterVec
	stepSeconds       *prometheus.HistogramVec
	jobs              *prometheus.GaugeVec
	decisions         *prometheus.GaugeVec
	edits             *prometheus.CounterVec
	idleStops         *prometheus.CounterVec
	refusals          *prometheus.CounterVec
	unstartedJobs     *prometheus.GaugeVec
	activeDoubts      *prometheus.GaugeVec
	isLeader          prometheus.Gauge
	lastGoodCycleTime prometheus.Gauge
	openIntents       prometheus.Gauge
	otherOrderJobs    prometheus.Gauge
	demoted           *prometheus.GaugeVec
	operatorActions   *prometheus.GaugeVec
	ctldRequests      *prometheus.GaugeVec
	ctldSeconds       *prometheus.GaugeVec
	backfillSeconds   prometheus.Gauge
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		cycles:            newCounter("cycles_total", "Cycles by how they ended: pushed, nothing, observed, standby, doubt, cut.", "result"),
		stepSeconds:       prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "fairbridge", Name: "step_seconds", Help: "Wall time of the steps of a cycle.", Buckets: prometheus.ExponentialBuckets(0.001, 4, 9)}, []string{"step"}),
		jobs:              newGauge("jobs", "Jobs in the last view by state.", "state"),
		decisions:         newGauge("decisions", "Decisions of the last plan.", "partition", "verb"),
		edits:             newCounter("edits_total", "Edits by kind and outcome.", "kind", "state"),
		idleStops:         newCounter("idle_stops_total", "Requeues of jobs because their GPUs did no work for long, by what came of them.", "state"),
		refusals:          newCounter("refusals_total", "What the gate turned down of plans and edits.", "partition", "invariant"),
		unstartedJobs:     newGauge("unstarted_jobs", "Jobs that Slurm did not start although their start was decided for three cycles.", "partition"),
		activeDoubts:      newGauge("doubt", "1 while the cause keeps us from pushing.", "cause"),
		isLeader:          prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fairbridge", Name: "leader", Help: "1 while this daemon leads."}),
		lastGoodCycleTime: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fairbridge", Name: "last_good_cycle_seconds", Help: "When the last complete cycle ended, seconds since 1970."}),
		openIntents:       prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fairbridge", Name: "open_intents", Help: "Intents whose outcome is not known yet."}),
		otherOrderJobs:    prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fairbridge", Name: "other_order_jobs", Help: "Waiting jobs that something else orders too; they are left to it."}),
		demoted:           newGauge("demoted", "1 while the partition is demoted to mode observe.", "partition"),
		operatorActions:   newGauge("operator_actions", "Actions of operators that stand, by kind: stop, mode, release_job, undo.", "kind"),
		ctldRequests:      newGauge("slurmctld_requests", "Requests that slurmctld has served since its start or the last sdiag --reset: ours, and all.", "whose"),
		ctldSeconds:       newGauge("slurmctld_request_seconds", "Time in which slurmctld served them, waiting for its locks included.", "whose"),
		backfillSeconds:   prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "fairbridge", Name: "slurmctld_backfill_seconds", Help: "Time that slurmctld's last backfill cycle took."}),
	}
	r.MustRegister(m.demoted, m.operatorActions, m.ctldRequests, m.ctldSeconds, m.backfillSeconds, m.cycles, m.stepSeconds, m.jobs, m.decisions, m.edits, m.idleStops, m.refusals, m.unstartedJobs, m.activeDoubts, m.isLeader, m.lastGoodCycleTime, m.openIntents, m.otherOrderJobs)
	return m
}

func newCounter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "fairbridge", Name: name, Help: help}, labels)
}

func newGauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "fairbridge", Name: name, Help: help}, labels)
}

// observeStep notes how long a step took.
func (m *Metrics) observeStep(step string, d time.Duration) {
	m.stepSeconds.WithLabelValues(step).Observe(d.Seconds())
}

// countEdit counts an edit, and what came of it.
func (m *Metrics) countEdit(in *bridge.Intent) {
	m.edits.WithLabelValues(string(in.Edit.Kind), string(in.State)).Inc()
	if s := in.Before.Stop; s != nil && s.Idle > 0 && in.Edit.Kind == slurm.EditRequeue {
		m.idleStops.WithLabelValues(string(in.State)).Inc()
	}
}

// setDemoted notes whether a partition is demoted.
func (m *Metrics) setDemoted(partition string, isDemoted bool) {
	m.demoted.WithLabelValues(partition).Set(0)
	if isDemoted {
		m.demoted.WithLabelValues(partition).Set(1)
	}
}

// setView notes what the view shows.
func (m *Metrics) setView(v *slurm.View, open int) {
	states := map[string]int{}
	for i := range v.Jobs {
		states[v.Jobs[i].State]++
	}
	m.jobs.Reset()
	for state, n := range states {
		m.jobs.WithLabelValues(state).Set(float64(n))
	}
	m.openIntents.Set(float64(open))
	m.setControllerLoad(&v.ControllerLoad)
}

// setControllerLoad notes what slurmctld says of its work.
func (m *Metrics) setControllerLoad(l *slurm.ControllerLoad) {
	for whose, c := range map[string]slurm.RPCCount{"ours": l.Own, "all": l.All} {
		m.ctldRequests.WithLabelValues(whose).Set(float64(c.Count))
		m.ctldSeconds.WithLabelValues(whose).Set(c.TotalTime.Seconds())
	}
	m.backfillSeconds.Set(l.BackfillLast.Seconds())
}

// setPartitionResults notes what became of partitions.
func (m *Metrics) setPartitionResults(evaluations []PartitionResult) {
	for i := range evaluations {
		e := &evaluations[i]
		for _, r := range e.Refusals {
			m.refusals.WithLabelValues(e.Partition.Name, string(r.Invariant)).Inc()
		}
		m.unstartedJobs.WithLabelValues(e.Partition.Name).Set(float64(len(e.StuckReasonByJob)))
		for step, d := range e.DurationByStep {
			m.observeStep(step, d)
		}
		if e.Plan != nil {
			m.setDecisions(e.Partition.Name, e.Plan)
		}
	}
}

// setDecisions counts the decisions of a plan.
func (m *Metrics) setDecisions(partition string, plan *policy.Plan) {
	m.decisions.DeletePartialMatch(prometheus.Labels{"partition": partition})
	verbs := map[policy.Verb]int{}
	for i := range plan.Decisions {
		verbs[plan.Decisions[i].Verb]++
	}
	for verb, n := range verbs {
		m.decisions.WithLabelValues(partition, string(verb)).Set(float64(n))
	}
}

// setCycleEnd notes how a cycle ended.
func (m *Metrics) setCycleEnd(r *Report, now time.Time) {
	m.cycles.WithLabelValues(string(r.Result)).Inc()
	m.activeDoubts.Reset()
	for _, cause := range bridge.DoubtCauses {
		m.activeDoubts.WithLabelValues(string(cause)).Set(0)
	}
	for _, d := range r.Doubts {
		m.activeDoubts.WithLabelValues(string(d.Cause)).Set(1)
	}
	m.isLeader.Set(0)
	if r.Result != ResultStandby && r.Epoch != 0 {
		m.isLeader.Set(1)
	}
	if len(r.Doubts) == 0 {
		m.lastGoodCycleTime.Set(float64(now.Unix()))
	}
}
