package carbyne

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/share"
)

// carbyneOrder says which tasks must run now and puts the others behind them.
type carbyneOrder struct {
	altruism, slack float64
	flows           *carbyneFlows

	costs [][]float64   // in Entries order
	tasks []carbyneTask // likewise
	work  []float64     // by workflow: GPU-seconds left
}

// carbyneTask is where a job stands in its workflow.
type carbyneTask struct {
	there  bool // it runs or could start
	must   bool
	latest float64 // seconds from now at which it must start
	fit    float64 // how well it uses what is free
}

// Order implements engine.Orderer: what must run, in the order of fairness;
// then the tasks of the workflow with least work left, what must start first in
// front. Without altruism it is the order of fairness alone.
func (c *carbyneOrder) Order(r *engine.Round) ([]*engine.Entry, error) {
	c.plan(r)
	line, err := order.ByShare{Meter: share.Dominant{}}.Order(r)
	if err != nil || c.altruism == 0 {
		return line, err
	}
	rank := make([]carbyneRank, len(line))
	for i, e := range line {
		at := c.index(e)
		rank[i] = carbyneRank{Entry: e, carbyneTask: &c.tasks[at], flow: c.flows.of[at], work: c.work[c.flows.of[at]], group: 1}
		switch {
		case c.tasks[at].must:
			rank[i].group = 0
		case !c.tasks[at].there:
			rank[i].group = 2
		}
	}
	slices.SortStableFunc(rank, carbyneRank.compare)
	for i := range rank {
		line[i] = rank[i].Entry
	}
	return line, nil
}

// carbyneRank is what decides where a task stands.
type carbyneRank struct {
	*engine.Entry
	*carbyneTask
	group, flow int // group 0 must run, 1 may, 2 cannot
	work        float64
}

func (a carbyneRank) compare(b carbyneRank) int {
	if a.group != 1 || b.group != 1 {
		return a.group - b.group
	}
	return cmp.Or(cmp.Compare(a.work, b.work), cmp.Compare(a.flow, b.flow), cmp.Compare(a.latest, b.latest),
		cmp.Compare(b.fit, a.fit), engine.ByArrival(a.Entry, b.Entry))
}

func (c *carbyneOrder) index(e *engine.Entry) int {
	i, _ := slices.BinarySearchFunc(c.flows.snapshot.Jobs, e.ID, func(j policy.Job, id policy.JobID) int { return cmp.Compare(j.ID, id) })
	return i
}

// tier is 0 for what must run now.
func (c *carbyneOrder) tier(_ *engine.Round, e *engine.Entry) int {
	if c.tasks[c.index(e)].must {
		return 0
	}
	return 1
}

// plan looks at every workflow.
func (c *carbyneOrder) plan(r *engine.Round) {
	c.tasks, c.work = make([]carbyneTask, len(r.Entries)), make([]float64, len(c.flows.names))
	c.costs = share.Dominant{}.Costs(r)
	works := make([]carbyneWork, len(c.flows.names))
	var free []float64
	for i, e := range r.Entries {
		if r.Startable(e) {
			works[c.flows.of[i]].add(e, i)
			c.tasks[i].there = true
		}
		for k, cost := range c.costs[i] {
			if len(free) <= k {
				free = append(free, 1)
			}
			if e.Active() {
				free[k] -= cost
			}
		}
	}
	for i := range c.tasks {
		for k, cost := range c.costs[i] {
			c.tasks[i].fit += cost * free[k]
		}
	}
	carbyneEnds(works)
	for w := range works {
		if len(works[w].jobs) > 0 {
			c.workflow(r, w, &works[w])
		}
	}
}

// workflow finds how late each task may start so that the workflow ends when
// its fair share would end it, and which must run now.
func (c *carbyneOrder) workflow(r *engine.Round, w int, f *carbyneWork) {
	c.work[w] = f.sum
	if !f.known {
		c.work[w] = math.Inf(1)
	}
	if !f.known || c.altruism == 0 || !c.altruist(w) {
		for _, i := range f.jobs {
			c.tasks[i].must = r.Entries[i].Due > 0
		}
		return
	}
	for _, i := range f.jobs {
		c.tasks[i].latest = math.Inf(1)
	}
	ends, _ := longestFirst(f.tasks, int(math.Ceil(f.sum/f.end-1e-9)))
	for k, i := range f.of {
		c.tasks[i].latest = min(c.tasks[i].latest, f.end-ends[k])
	}
	slices.SortFunc(f.jobs, func(i, j int) int {
		return cmp.Or(cmp.Compare(c.tasks[i].latest, c.tasks[j].latest), engine.ByTenure(r.Entries[i], r.Entries[j]))
	})
	held := 0.0
	for _, i := range f.jobs {
		t := &c.tasks[i]
		if t.must = held < f.due-1e-9 && t.latest <= c.slack*f.end; t.must {
			held += r.Entries[i].Ask.GPUs.Whole()
		}
		c.explain(r, w, i, f.end)
	}
}

func (c *carbyneOrder) explain(r *engine.Round, w, i int, fair float64) {
	if !r.Terse {
		r.Entries[i].Note = fmt.Sprintf("workflow %s would end in %v with its share; this task must start within %v", c.flows.names[w],
			policy.Seconds(fair).Round(time.Minute), policy.Seconds(c.tasks[i].latest).Round(time.Minute))
	}
}

// altruist says by the name of the workflow whether it gives anything away, so
// that it does not change its mind.
func (c *carbyneOrder) altruist(w int) bool {
	h := fnv.New32a()
	h.Write([]byte(c.flows.names[w]))
	return float64(h.Sum32())/(1<<32) < c.altruism
}
