package exact

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge/sim/measure"
	"fairbridge/bridge/sim/work"
	"fairbridge/policy"
)

// epoch is when workloads start, for policies, which know calendar time.
var epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

type engine struct {
	Config
	cluster
	now   float64
	jobs  []job  // in the order of the workload
	queue []*job // still to arrive
	here  []*job // arrived and not ended, by id; snap.Jobs are their views
	busy  []*job // those of them that run, by id
	gone  int    // ended since the last sweep
	done  int

	snap     policy.Snapshot
	accounts purses
	users    purses
	past     past
	crowd    crowd
	film     film
	round    int  // rounds so far
	aside    bool // some nodes are set aside for a time
	run      *measure.Run
}

func newEngine(c Config) (*engine, error) {
	e := &engine{Config: c, cluster: newCluster(c.Nodes), jobs: make([]job, len(c.Jobs))}
	if c.Policy == nil || len(e.types) == 0 {
		return nil, errors.New("a simulation needs a policy and nodes with GPUs")
	}
	e.Shared = cmp.Or(c.Shared, 0.6)
	e.snap = policy.Snapshot{Cluster: "simulated", Nodes: c.Nodes, Terse: c.Terse}
	e.run = &measure.Run{Seed: c.Seed, GPUs: e.gpus}
	e.queue = make([]*job, 0, len(c.Jobs))
	for i := range c.Jobs {
		if err := e.newJob(&e.jobs[i], &c.Jobs[i]); err != nil {
			return nil, err
		}
		e.shares = e.shares || c.Jobs[i].Shareable
		e.queue = append(e.queue, &e.jobs[i])
	}
	if err := twice(e.queue); err != nil {
		return nil, err
	}
	slices.SortStableFunc(e.queue, func(a, b *job) int { return cmp.Or(cmp.Compare(a.Arrive, b.Arrive), cmp.Compare(a.ID, b.ID)) })
	e.asides()
	e.open(c)
	return e, nil
}

// twice names a job id that stands for two jobs.
func twice(jobs []*job) error {
	seen := make(map[int64]*work.Job, len(jobs))
	for _, j := range jobs {
		if o := seen[j.ID]; o != nil {
			return fmt.Errorf("job id %d is given twice: lines %d and %d", j.ID, o.Line, j.Line)
		}
		seen[j.ID] = j.Job
	}
	return nil
}

// at converts seconds since the start.
func at(seconds float64) time.Time { return epoch.Add(time.Duration(seconds * float64(time.Second))) }

// finish writes the results down.
func (e *engine) finish() {
	e.run.Makespan = e.now
	e.run.Samples = e.film.frames
	e.run.Jobs = make([]measure.Outcome, len(e.jobs))
	for i := range e.jobs {
		e.run.Jobs[i] = e.jobs[i].out
	}
	e.run.Shares = map[string]float64{}
	for _, a := range e.snap.Accounts {
		e.run.Shares[a.Name] = cmp.Or(a.Weight, 1)
	}
}

// arrive lets jobs in whose time has come. It reports whether any did.
func (e *engine) arrive() bool {
	n := 0
	for ; n < len(e.queue) && e.queue[n].Arrive <= e.now; n++ {
		e.enter(e.queue[n])
	}
	e.queue = e.queue[n:]
	return n > 0
}

func (e *engine) enter(j *job) {
	i, _ := slices.BinarySearchFunc(e.here, j.ID, func(a *job, id int64) int { return cmp.Compare(a.ID, id) })
	e.here = slices.Insert(e.here, i, j)
	e.snap.Jobs = slices.Insert(e.snap.Jobs, i, e.view(j))
	j.came = e.crowd
}

// end lets a job leave at a time.
func (e *engine) end(j *job, finish float64) {
	j.out.Finish, j.ended = finish, true
	if j.on != nil {
		e.release(j)
	}
	j.out.Present = e.crowd.since(j.came)
	e.remember(j)
	e.gone++
	e.done++
	if e.Progress != nil && (e.done%100 == 0 || e.done == len(e.jobs)) {
		e.Progress(e.done, len(e.jobs))
	}
}

// sweep takes the jobs that ended out of the lists. It reports whether any did.
func (e *engine) sweep() bool {
	if e.gone == 0 {
		return false
	}
	n := 0
	for i, j := range e.here {
		if j.ended {
			continue
		}
		if n != i {
			e.here[n], e.snap.Jobs[n] = j, e.snap.Jobs[i]
		}
		n++
	}
	clear(e.snap.Jobs[n:])
	clear(e.here[n:])
	e.here, e.snap.Jobs, e.gone = e.here[:n], e.snap.Jobs[:n], 0
	e.busy = slices.DeleteFunc(e.busy, func(j *job) bool { return j.ended })
	if n == 0 {
		e.show() // nobody may ask for long, and usage decays from now
	}
	return true
}

// stuck explains why nothing will ever happen again.
func (e *engine) stuck() error {
	j := e.here[0]
	return fmt.Errorf("at %.0f s nothing runs and nobody is to arrive, but %d jobs wait, as job %d of %d GPUs: the policy starts none of them", e.now, len(e.here), j.ID, j.GPUs)
}
