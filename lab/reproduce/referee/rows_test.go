package referee

import (
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/reproduce/reproducetest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// row is a way of backfilling, and what is known of run times.
type row struct {
	name       string
	params     paper.Params
	gated      bool // see oneEach
	isTruth    bool // true run times are known
	isLearnt   bool // they are predicted by lastTwo
	extensions []time.Duration
}

var shortestByEstimate = paper.Params{"lengths": "estimate", "pass": "shortest"}

// rows are those of the published table, in its order.
var rows = []row{
	{name: "EASY", params: paper.Params{"lengths": "limit"}, gated: true},
	{name: "SJBF by limits", params: paper.Params{"lengths": "limit", "pass": "shortest"}},
	{name: "EASY++", params: shortestByEstimate, isLearnt: true},
	{name: "EASY++ stepwise", params: shortestByEstimate, isLearnt: true, extensions: stepwise},
	{name: "EASY exact", params: paper.Params{"lengths": "estimate"}, gated: true, isTruth: true},
	{name: "SJBF exact", params: shortestByEstimate, isTruth: true},
}

// simulate runs jobs on so many processors of one node: the policy is asked for each
// event, or once for all of a second.
func (r *row) simulate(t testing.TB, jobs []workload.Job, processors int, isOneEach bool) *measure.Run {
	t.Helper()
	nodes := reproducetest.NewCluster(1, processors, "cpu")
	nodes[0].CPUs = processors
	c := exact.Config{
		Policy: reproducetest.NewSystem(t, "easy", r.params), Nodes: nodes, Jobs: jobs, PredictsTruth: r.isTruth,
	}
	o := &oneEach{policy: c.Policy, gated: r.gated, length: map[policy.JobID]time.Duration{}}
	for i := range jobs {
		o.length[policy.JobID(jobs[i].ID)] = policy.DurationFromSeconds(jobs[i].Duration)
	}
	o.isPlanned = func(j *policy.Job, length time.Duration) bool { return r.isTruth || j.Limit == length }
	if r.isLearnt {
		p := newLastTwo(r.extensions)
		c.RunTimes, o.forecast = p, p.ForecastAt
		o.isPlanned = func(j *policy.Job, length time.Duration) bool {
			return p.lengthAfter(j, length-time.Second) == length
		}
	}
	if isOneEach {
		c.Policy = o
	}
	return reproducetest.Simulate(t, c)
}

// meanBoundedSlowdown is the mean of response over run time, the run time at least 10 s and the ratio at least 1.
func meanBoundedSlowdown(run *measure.Run) float64 {
	sum := 0.
	for i := range run.JobOutcomes {
		o := &run.JobOutcomes[i]
		sum += max(1, (o.Finish-o.Arrive)/max(o.ExclusiveRunSeconds, 10))
	}
	return sum / float64(len(run.JobOutcomes))
}
