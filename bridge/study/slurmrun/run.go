package slurmrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/sim/memstore"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// runner is a simulation under way.
type runner struct {
	Config
	w     *sim.World
	start time.Time
	loop  *cycle.Loop // nil: Slurm alone
	past  *memstore.Store
	jobs  []workload.Job // by arrival, then id
	ids   map[int64]int  // index in jobs by Slurm's id
	came  int
	clock stopwatch
	fault error
	still standstill
	quiet quiet
}

func newRunner(c Config) (*runner, error) {
	if c.Loop.Interval == 0 {
		c.Loop = bridge.DefaultConfig()
	}
	owners := newOwners(&c)
	jobs := make([]workload.Job, len(c.Jobs))
	for i, j := range c.Jobs {
		var err error
		if jobs[i], err = owners.known(j); err != nil {
			return nil, err
		}
	}
	c.Jobs = jobs
	w, err := c.world()
	if err != nil {
		return nil, err
	}
	r := &runner{
		Config: c, w: w, start: w.Now(), ids: map[int64]int{}, jobs: jobs, clock: stopwatch{Policy: c.Policy},
		still: standstill{longest: c.longest()}, quiet: quiet{never: c.Every, warmup: c.Loop.Warmup},
	}
	slices.SortStableFunc(r.jobs, func(a, b workload.Job) int { return cmp.Or(cmp.Compare(a.Arrive, b.Arrive), cmp.Compare(a.ID, b.ID)) })
	for i := range r.jobs {
		s, err := owners.spec(&r.jobs[i])
		if err != nil {
			return nil, err
		}
		r.arrive(i, s)
	}
	if c.Policy == nil {
		return r, nil
	}
	return r, r.join()
}

// arrive makes sure that the i-th job is submitted when its time has come.
func (r *runner) arrive(i int, s sim.Spec) {
	r.w.At(r.start.Add(policy.Seconds(r.jobs[i].Arrive)), func() {
		id, err := r.w.Submit(s)
		if err != nil {
			r.fault = fmt.Errorf("submitting job %d: %w", r.jobs[i].ID, err)
		}
		r.ids[id] = i
		r.came++
	})
}

// run lets everything happen.
func (r *runner) run() error {
	idle := false
	for !r.done() {
		if err := r.cycle(idle); err != nil {
			return err
		}
		idle = r.w.Open() == 0
		r.rest()
		if err := r.check(); err != nil {
			return err
		}
	}
	if r.Progress != nil {
		r.Progress(len(r.jobs), len(r.jobs))
	}
	return nil
}

func (r *runner) done() bool { return r.came == len(r.jobs) && r.w.Open() == 0 }

// cycle runs the loop once. Where nothing was there the last time and nothing
// is there now, there is nothing to look at.
func (r *runner) cycle(idle bool) error {
	if r.loop == nil || idle && r.w.Open() == 0 {
		return nil
	}
	r.past.Forget(r.w.Now().Add(-push.Recent))
	rep := r.loop.Step(context.Background())
	r.quiet.note(&rep, r.w.Waiting(), r.past.Open())
	for _, d := range rep.Doubts {
		if errors.Is(d.Err, cycle.ErrPolicy) || d.Cause == bridge.CauseJournal || d.Cause == bridge.CauseHistory {
			return fmt.Errorf("cycle at %v: %w", r.w.Now().Sub(r.start), d.Err)
		}
	}
	if r.Watch != nil {
		r.Watch(&rep)
	}
	if r.Look != nil {
		r.Look(r.w)
	}
	return nil
}

// forward lets time pass, but not beyond the end of the last job.
func (r *runner) forward(to time.Time) {
	for !r.done() && r.w.Step(to) {
	}
}

// check finds out what went wrong, or stands still.
func (r *runner) check() error {
	if r.fault != nil {
		return r.fault
	}
	_, started, ended := r.w.Totals()
	if r.Progress != nil {
		r.Progress(ended, len(r.jobs))
	}
	stood := r.still.note(r.w.Now(), started+ended+r.came, r.w.Open())
	if stood == 0 {
		return nil
	}
	for _, j := range r.w.Jobs() {
		if j.Pending() {
			return fmt.Errorf("job %d waits for ever: nothing has happened for %v (Slurm's reason: %s)", r.jobs[r.ids[j.ID]].ID, stood, j.Reason)
		}
	}
	return fmt.Errorf("nothing has happened for %v", stood)
}

// rest lets time pass until the next cycle that is worth it. Cycles stay on
// their beat, and keep their numbers.
func (r *runner) rest() {
	from, out := r.w.Now(), 0
	for {
		r.forward(r.w.Now().Add(r.Loop.Interval))
		now := r.w.Now()
		if !r.quiet.now || r.done() || !r.w.Changed().Before(from) || now.Add(r.Loop.Interval).Sub(from) > recheck {
			break
		}
		out++
	}
	if out > 0 {
		r.past.Skip(partition, out)
		r.quiet.left += out
	}
}

// measured is what came of it.
func (r *runner) measured() *measure.Run {
	out := &measure.Run{Policy: r.Name, Seed: r.Seed, Shares: map[string]float64{}, Decide: r.clock.took}
	for _, a := range r.Accounts {
		out.Shares[a.Name] = a.Weight
	}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			out.GPUs += d.Count - d.Sick
		}
	}
	f := figures{start: r.start, jobs: r.jobs, ids: r.ids, segments: r.w.Segments()}
	f.fill(out)
	return out
}
