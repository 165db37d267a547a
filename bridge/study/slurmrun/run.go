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
	world          *sim.World
	start          time.Time
	loop           *cycle.Loop // nil: Slurm alone
	memory         *memstore.Store
	jobs           []workload.Job // by arrival, then id
	indexBySlurmID map[int64]int  // index in jobs by Slurm's id
	submitted      int
	timedPolicy    timedPolicy
	submitError    error
	stall          stallDetector
	skipper        cycleSkipper
}

func newRunner(c Config) (*runner, error) {
	if c.Loop.Interval == 0 {
		c.Loop = bridge.DefaultConfig()
	}
	owners := newSubmitter(&c)
	jobs := make([]workload.Job, len(c.Jobs))
	for i, j := range c.Jobs {
		var err error
		if jobs[i], err = owners.withSpeeds(j); err != nil {
			return nil, err
		}
	}
	c.Jobs = jobs
	w, err := c.newWorld()
	if err != nil {
		return nil, err
	}
	r := &runner{
		Config: c, world: w, start: w.Now(), indexBySlurmID: map[int64]int{}, jobs: jobs, timedPolicy: timedPolicy{Policy: c.Policy},
		stall: stallDetector{maxJobTime: c.maxTime()}, skipper: cycleSkipper{runsEveryCycle: c.EveryCycle, warmupCycles: c.Loop.WarmupPolls},
	}
	slices.SortStableFunc(r.jobs, func(a, b workload.Job) int { return cmp.Or(cmp.Compare(a.Arrive, b.Arrive), cmp.Compare(a.ID, b.ID)) })
	for i := range r.jobs {
		s, err := owners.newSpec(&r.jobs[i])
		if err != nil {
			return nil, err
		}
		r.scheduleArrival(i, s)
	}
	if c.Policy == nil {
		return r, nil
	}
	return r, r.startLoop()
}

// scheduleArrival makes sure that the i-th job is submitted when its time has come.
func (r *runner) scheduleArrival(i int, s sim.JobSpec) {
	r.world.ScheduleAt(r.start.Add(policy.DurationFromSeconds(r.jobs[i].Arrive)), func() {
		id, err := r.world.Submit(s)
		if err != nil {
			r.submitError = fmt.Errorf("submitting job %d: %w", r.jobs[i].ID, err)
		}
		r.indexBySlurmID[id] = i
		r.submitted++
	})
}

// run lets everything happen.
func (r *runner) run() error {
	idle := false
	for !r.isDone() {
		if err := r.runCycle(idle); err != nil {
			return err
		}
		idle = r.world.OpenJobCount() == 0
		r.advanceToNextCycle()
		if err := r.checkProgress(); err != nil {
			return err
		}
	}
	if r.Progress != nil {
		r.Progress(len(r.jobs), len(r.jobs))
	}
	return nil
}

func (r *runner) isDone() bool { return r.submitted == len(r.jobs) && r.world.OpenJobCount() == 0 }

// runCycle runs the loop once. Where nothing was there the last time and nothing
// is there now, there is nothing to look at.
func (r *runner) runCycle(idle bool) error {
	if r.loop == nil || idle && r.world.OpenJobCount() == 0 {
		return nil
	}
	r.memory.ForgetClosed(r.world.Now().Add(-push.MaxClosedIntentAge))
	rep := r.loop.Step(context.Background())
	r.skipper.noteCycle(&rep, r.world.PendingJobCount(), r.memory.OpenIntentCount())
	for _, d := range rep.Doubts {
		if errors.Is(d.Err, cycle.ErrPolicy) || d.Cause == bridge.CauseJournal || d.Cause == bridge.CauseHistory {
			return fmt.Errorf("cycle at %v: %w", r.world.Now().Sub(r.start), d.Err)
		}
	}
	if r.WatchCycle != nil {
		r.WatchCycle(&rep)
	}
	if r.AfterCycle != nil {
		r.AfterCycle(r.world)
	}
	return nil
}

// advance lets time pass, but not beyond the end of the last job.
func (r *runner) advance(to time.Time) {
	for !r.isDone() && r.world.Step(to) {
	}
}

// checkProgress finds out what went wrong, or stands still.
func (r *runner) checkProgress() error {
	if r.submitError != nil {
		return r.submitError
	}
	_, started, ended := r.world.JobTotals()
	if r.Progress != nil {
		r.Progress(ended, len(r.jobs))
	}
	stood := r.stall.timeWithoutEvents(r.world.Now(), started+ended+r.submitted, r.world.OpenJobCount())
	if stood == 0 {
		return nil
	}
	for _, j := range r.world.Jobs() {
		if j.IsPending() {
			return fmt.Errorf("job %d waits for ever: nothing has happened for %v (Slurm's reason: %s)", r.jobs[r.indexBySlurmID[j.ID]].ID, stood, j.Reason)
		}
	}
	return fmt.Errorf("nothing has happened for %v", stood)
}

// advanceToNextCycle lets time pass until the next cycle that is worth it. Cycles stay on
// their beat, and keep their numbers.
func (r *runner) advanceToNextCycle() {
	from, out := r.world.Now(), 0
	for {
		r.advance(r.world.Now().Add(r.Loop.Interval))
		now := r.world.Now()
		if !r.skipper.wasIdle || r.isDone() || !r.world.LastChange().Before(from) || now.Add(r.Loop.Interval).Sub(from) > maxSkippedTime {
			break
		}
		out++
	}
	if out > 0 {
		r.memory.SkipCycles(partitionName, out)
		r.skipper.skippedCount += out
	}
}

// newResult is what came of it.
func (r *runner) newResult() *measure.Run {
	out := &measure.Run{Policy: r.PolicyName, Seed: r.Seed, WeightsByAccount: map[string]float64{}, DecideSeconds: r.timedPolicy.durations}
	for _, a := range r.Accounts {
		out.WeightsByAccount[a.Name] = a.Weight
	}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			out.ClusterGPUs += d.Count - d.SickCount
		}
	}
	f := resultBuilder{start: r.start, jobs: r.jobs, indexBySlurmID: r.indexBySlurmID, segments: r.world.EndedRuns()}
	f.fillRun(out)
	return out
}
