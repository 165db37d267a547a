package paper

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/order"
	"fairbridge/policy/share"
	"fairbridge/policy/solve"
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

// Order implements policy.Orderer: what must run, in the order of fairness;
// then the tasks of the workflow with least work left, what must start first in
// front. Without altruism it is the order of fairness alone.
func (c *carbyneOrder) Order(r *policy.Round) ([]*policy.Entry, error) {
	c.plan(r)
	line, err := order.ByShare{Meter: share.Dominant{}}.Order(r)
	if err != nil || c.altruism == 0 {
		return line, err
	}
	place := make(map[*policy.Entry]int, len(line))
	for i, e := range line {
		place[e] = i
	}
	slices.SortFunc(line, func(a, b *policy.Entry) int {
		x, y := c.task(a), c.task(b)
		switch {
		case x.must != y.must:
			return c.level(a) - c.level(b)
		case x.must || !x.there && !y.there:
			return cmp.Compare(place[a], place[b])
		case !x.there:
			return 1
		case !y.there:
			return -1
		}
		f, g := c.flow(a), c.flow(b)
		return cmp.Or(cmp.Compare(c.work[f], c.work[g]), cmp.Compare(f, g), cmp.Compare(x.latest, y.latest),
			cmp.Compare(y.fit, x.fit), policy.ByArrival(a, b))
	})
	return line, nil
}

func (c *carbyneOrder) index(e *policy.Entry) int {
	i, _ := slices.BinarySearchFunc(c.flows.snapshot.Jobs, e.ID, func(j policy.Job, id policy.JobID) int { return cmp.Compare(j.ID, id) })
	return i
}

func (c *carbyneOrder) task(e *policy.Entry) *carbyneTask { return &c.tasks[c.index(e)] }

func (c *carbyneOrder) flow(e *policy.Entry) int { return c.flows.of[c.index(e)] }

// level is 0 for what must run now.
func (c *carbyneOrder) level(e *policy.Entry) int {
	if c.task(e).must {
		return 0
	}
	return 1
}

func (c *carbyneOrder) tier(_ *policy.Round, e *policy.Entry) int { return c.level(e) }

// plan looks at every workflow.
func (c *carbyneOrder) plan(r *policy.Round) {
	c.tasks, c.work = make([]carbyneTask, len(r.Entries)), make([]float64, len(c.flows.names))
	c.costs = share.Dominant{}.Costs(r)
	members := make([][]int, len(c.flows.names))
	var free []float64
	for i, e := range r.Entries {
		if r.Startable(e) {
			members[c.flows.of[i]] = append(members[c.flows.of[i]], i)
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
	for w, jobs := range members {
		if len(jobs) > 0 {
			c.workflow(r, w, jobs)
		}
	}
}

// workflow finds when the workflow would end with its share from now on, and
// from that how late each of its tasks may start.
func (c *carbyneOrder) workflow(r *policy.Round, w int, jobs []int) {
	var pieces []solve.Piece
	var of []int
	due, known := 0.0, true
	for _, i := range jobs {
		e := r.Entries[i]
		left, ok := carbyneLeft(e)
		known = known && ok
		due += e.Due
		c.work[w] += left * float64(e.Has()*e.Count())
		for range min(e.Count(), 1024) {
			pieces, of = append(pieces, solve.Piece{Time: left, Width: e.Has()}), append(of, i)
		}
	}
	if !known {
		c.work[w] = math.Inf(1)
	}
	if !known || c.altruism == 0 || !c.altruist(w) {
		for _, i := range jobs {
			c.tasks[i].must = r.Entries[i].Due > 0
		}
		return
	}
	machines := max(int(due+1e-9), 1)
	ends, last := solve.LongestFirst(pieces, machines)
	fair := last * max(float64(machines)/max(due, 1e-3), 1) // less than one GPU takes as much longer
	for _, i := range jobs {
		c.tasks[i].latest = math.Inf(1)
	}
	for k, i := range of {
		c.tasks[i].latest = min(c.tasks[i].latest, fair-ends[k])
	}
	slices.SortFunc(jobs, func(i, j int) int {
		return cmp.Or(cmp.Compare(c.tasks[i].latest, c.tasks[j].latest), policy.ByTenure(r.Entries[i], r.Entries[j]))
	})
	held := 0.0
	for _, i := range jobs {
		t := &c.tasks[i]
		if t.must = held < due-1e-9 && t.latest <= c.slack*fair; t.must {
			held += r.Entries[i].Ask.GPUs.Whole()
		}
		c.explain(r, w, i, fair)
	}
}

func (c *carbyneOrder) explain(r *policy.Round, w, i int, fair float64) {
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

// carbyneLeft returns the seconds the job runs from now on what it asks or
// holds: as it reports, else as estimated with one standard error.
func carbyneLeft(e *policy.Entry) (seconds float64, ok bool) {
	if t := e.Training; t != nil && len(t.Rates) > 0 {
		typ := e.Ask.GPUs.Type
		if len(e.On) > 0 {
			typ = e.On[0].Type
		}
		rate, known := t.Rate(typ)
		if !known {
			rate = t.Rates[0].Steps
		}
		if rate > 0 {
			return max(t.Steps-t.Done, 0) / rate, true
		}
	}
	if e.Estimate.Left > 0 && (e.Estimate.From != "attained" || e.Active()) {
		return (e.Estimate.Left + e.Estimate.Sigma).Seconds(), true
	}
	return 0, false
}
