package carbyne

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/share"
)

// altruisticOrder is an engine.Allocator: it says which tasks must run now and puts
// the others behind them.
type altruisticOrder struct {
	altruism, slackFloor float64
	workflows            *workflowSnapshot

	costsByEntry             [][]float64 // in Entries order
	jobPlans                 []jobPlan   // likewise
	gpuSecondsLeftByWorkflow []float64   // by workflow: GPU-seconds left
}

// jobPlan is where a job stands in its workflow.
type jobPlan struct {
	mayRun             bool // it runs or could start
	mustRun            bool
	latestStartSeconds float64 // seconds from now at which it must start
	packingScore       float64 // how well it uses what is free
}

// Allocate implements engine.Allocator: what must run, in the order of fairness;
// then the tasks of the workflow with least work left, what must start first in
// front. Without altruism it is the order of fairness alone. What must run has a
// lease.
func (c *altruisticOrder) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	c.planWorkflows(r)
	line, err := order.BySmallestShare{Meter: share.DominantFairness{}}.Order(r)
	if err != nil {
		return nil, err
	}
	ranked := make([]rankedJob, len(line))
	for i, e := range line {
		w := c.workflows.workflowOfJob[e.Index]
		ranked[i] = rankedJob{Entry: e, jobPlan: &c.jobPlans[e.Index], lineIndex: i, workflowIndex: w,
			workflowGPUSecondsLeft: c.gpuSecondsLeftByWorkflow[w], lineGroup: groupMayRun}
		switch {
		case ranked[i].mustRun:
			ranked[i].lineGroup = groupMustRun
		case !ranked[i].mayRun:
			ranked[i].lineGroup = groupCannotRun
		}
	}
	if c.altruism > 0 {
		slices.SortFunc(ranked, rankedJob.compare)
	}
	turns := make([]engine.Assignment, len(ranked))
	for i, j := range ranked {
		turns[i] = j.AssignmentWithoutLease()
		turns[i].Grant.HasLease = j.mustRun
	}
	return turns, nil
}

// rankedJob is what decides where a task stands.
type rankedJob struct {
	*engine.Entry
	*jobPlan
	lineGroup, lineIndex, workflowIndex int
	workflowGPUSecondsLeft              float64
}

// Groups of the line, first served first.
const (
	groupMustRun = iota
	groupMayRun
	groupCannotRun
)

func (a rankedJob) compare(b rankedJob) int {
	if a.lineGroup != groupMayRun || b.lineGroup != groupMayRun {
		return cmp.Or(a.lineGroup-b.lineGroup, a.lineIndex-b.lineIndex)
	}
	left := cmp.Compare(a.workflowGPUSecondsLeft, b.workflowGPUSecondsLeft)
	if c := cmp.Or(left, a.workflowIndex-b.workflowIndex); c != 0 {
		return c
	}
	start := cmp.Compare(a.latestStartSeconds, b.latestStartSeconds)
	return engine.ThenArrival(cmp.Or(start, cmp.Compare(b.packingScore, a.packingScore)), a.Entry, b.Entry)
}

// planWorkflows looks at every workflow.
func (c *altruisticOrder) planWorkflows(r *engine.Round) {
	c.jobPlans, c.gpuSecondsLeftByWorkflow = make([]jobPlan, len(r.Entries)), make([]float64, len(c.workflows.workflowNames))
	c.costsByEntry = share.DominantFairness{}.Costs(r)
	workflows := make([]workflow, len(c.workflows.workflowNames))
	var free []float64
	for i, e := range r.Entries {
		if r.MayRun(e) {
			workflows[c.workflows.workflowOfJob[i]].addJob(e, i)
			c.jobPlans[i].mayRun = true
		}
		for k, cost := range c.costsByEntry[i] {
			if len(free) <= k {
				free = append(free, 1)
			}
			if e.HoldsGPUs() {
				free[k] -= cost
			}
		}
	}
	for i := range c.jobPlans {
		for k, cost := range c.costsByEntry[i] {
			c.jobPlans[i].packingScore += cost * free[k]
		}
	}
	setFairEnds(workflows)
	for w := range workflows {
		if len(workflows[w].jobIndexes) > 0 {
			c.planWorkflow(r, w, &workflows[w])
		}
	}
}

// planWorkflow finds how late each task may start so that the workflow ends when
// its fair share would end it, and which must run now.
func (c *altruisticOrder) planWorkflow(r *engine.Round, w int, f *workflow) {
	c.gpuSecondsLeftByWorkflow[w] = f.gpuSecondsLeft
	if !f.hasKnownLengths {
		c.gpuSecondsLeftByWorkflow[w] = math.Inf(1)
	}
	if !f.hasKnownLengths || c.altruism == 0 || !c.isAltruistic(w) {
		for _, i := range f.jobIndexes {
			c.jobPlans[i].mustRun = r.Entries[i].DueGPUs > 0
		}
		return
	}
	for _, i := range f.jobIndexes {
		c.jobPlans[i].latestStartSeconds = math.Inf(1)
	}
	ends, _ := scheduleLongestFirst(f.tasks, int(math.Ceil(f.gpuSecondsLeft/f.fairEndSeconds-1e-9)))
	for k, i := range f.jobOfTask {
		c.jobPlans[i].latestStartSeconds = min(c.jobPlans[i].latestStartSeconds, f.fairEndSeconds-ends[k])
	}
	slices.SortFunc(f.jobIndexes, func(i, j int) int {
		return cmp.Or(cmp.Compare(c.jobPlans[i].latestStartSeconds, c.jobPlans[j].latestStartSeconds), engine.CompareTenure(r.Entries[i], r.Entries[j]))
	})
	held := 0.0
	for _, i := range f.jobIndexes {
		t := &c.jobPlans[i]
		if t.mustRun = held < f.fairGPUs-1e-9 && t.latestStartSeconds <= c.slackFloor*f.fairEndSeconds; t.mustRun {
			held += r.Entries[i].Ask.GPUs.WholeGPUs()
		}
	}
}

// isAltruistic says by the name of the workflow whether it gives anything away, so
// that it does not change its mind.
func (c *altruisticOrder) isAltruistic(w int) bool {
	h := fnv.New32a()
	h.Write([]byte(c.workflows.workflowNames[w]))
	return float64(h.Sum32())/(1<<32) < c.altruism
}
