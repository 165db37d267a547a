package through

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/sim/memory"
	"fairbridge/bridge/sim/work"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// runner is a simulation under way.
type runner struct {
	Config
	w     *sim.World
	start time.Time
	loop  *cycle.Loop // nil: Slurm alone
	past  *memory.Store
	jobs  []work.Job // by arrival, then id
	ids   map[int64]int
	came  int
	clock *stopwatch
	fault error
	still standstill
	limit time.Duration // the longest a job may run
	quiet quiet
}

func newRunner(c Config) (*runner, error) {
	if c.Loop.Interval == 0 {
		c.Loop = bridge.DefaultConfig()
	}
	jobs := make([]work.Job, len(c.Jobs))
	for i, j := range c.Jobs {
		var err error
		if jobs[i], err = c.known(j); err != nil {
			return nil, err
		}
	}
	c.Jobs = jobs
	w, err := c.world()
	if err != nil {
		return nil, err
	}
	r := &runner{Config: c, w: w, start: w.Now(), ids: map[int64]int{}, jobs: jobs, limit: c.longest()}
	slices.SortStableFunc(r.jobs, func(a, b work.Job) int { return cmp.Or(cmp.Compare(a.Arrive, b.Arrive), cmp.Compare(a.ID, b.ID)) })
	for i := range r.jobs {
		if err := r.arrive(i); err != nil {
			return nil, err
		}
	}
	if c.Policy == nil {
		return r, nil
	}
	return r, r.join()
}

// arrive makes sure that the i-th job is submitted when its time has come.
func (r *runner) arrive(i int) error {
	s, err := r.spec(&r.jobs[i])
	if err != nil {
		return err
	}
	r.w.At(r.start.Add(policy.Seconds(r.jobs[i].Arrive)), func() {
		id, err := r.w.Submit(s)
		if err != nil {
			r.fault = fmt.Errorf("submitting job %d: %w", r.jobs[i].ID, err)
		}
		r.ids[id] = i
		r.came++
	})
	return nil
}

// join makes the loop.
func (r *runner) join() error {
	c := r.Loop
	c.Name, c.Holder, c.StopFile = r.w.Cluster(), "sim", ""
	r.clock = &stopwatch{Policy: r.Policy}
	c.Partitions = []bridge.Partition{{
		Name: partition, Mode: cmp.Or(r.Mode, bridge.Preempt), Policy: r.Name, Decide: r.clock,
	}}
	r.past = memory.New(r.w.Now, r.Accounts, r.Slurm.HalfLife)
	r.past.Begin(work.Used(r.Accounts, r.jobs), r.w.Now())
	loop, err := cycle.New(c, cycle.Parts{
		Cluster: sim.Direct{World: r.w}, Journal: r.past, Leadership: r.past, History: r.past, Probes: unmeasured{}, Expiry: bridge.NothingDies{}, Bare: true,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: r.w.Now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	r.loop = loop
	return err
}

// unmeasured is a cluster without probes.
type unmeasured struct{}

func (unmeasured) Sample(context.Context, *slurm.View) (map[string][]policy.Devices, error) {
	return nil, nil
}

// stopwatch measures how long decisions take. It has no influence on them.
type stopwatch struct {
	policy.Policy
	took []float64
}

func (s *stopwatch) Decide(snap *policy.Snapshot) (*policy.Plan, error) {
	from := time.Now()
	defer func() { s.took = append(s.took, time.Since(from).Seconds()) }()
	return s.Policy.Decide(snap)
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
	r.looked(&rep)
	for _, d := range rep.Doubts {
		if errors.Is(d.Err, cycle.ErrPolicy) || d.Cause == "journal" || d.Cause == "history" {
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
	return r.stuck(started + ended + r.came)
}
