package figures

import (
	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge/cycle"
	"fairbridge/policy"
)

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
