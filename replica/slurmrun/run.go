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
	"fairbridge/replica/measure"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
	"fairbridge/replica/workload"
)

// runner is a simulation under way.
type runner struct {
	Config
	world          *sim.World
	workloadStart  time.Time
	loop           *cycle.Loop // nil: Slurm alone
	store          *memstore.Store
	cluster        *polledCluster
	jobs           []workload.Job // by arrival, then id
	jobIndexes     jobIndexes     // in jobs
	specs          []sim.JobSpec  // of the jobs; an array's is that of each task
	submittedCount int
	writeCount     int // edits sent to Slurm
	timedPolicy    timedPolicy
	submitError    error
	stallDetector  stallDetector
	cycleSkipper   cycleSkipper
	runTimeTeacher runTimeTeacher
	speedReports   *speedReports // nil: no job reports its speed
	lastForgetTime time.Time     // when intents were last forgotten
	plans          planWatch
}

func newRunner(c Config) (*runner, error) {
	if c.LoopConfig.Interval == 0 {
		weights := c.LoopConfig.BillingWeights
		c.LoopConfig = bridge.DefaultConfig()
		c.LoopConfig.BillingWeights = weights
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
		Config: c, world: w, workloadStart: w.Now(), jobIndexes: jobIndexes{}, jobs: jobs, plans: newPlanWatch(c.Nodes), runTimeTeacher: runTimeTeacher{ranByJob: map[int64]time.Duration{}}, timedPolicy: timedPolicy{Policy: c.Policy},
		stallDetector: stallDetector{maxJobTime: c.partitionTimeLimit()}, cycleSkipper: cycleSkipper{runsEveryCycle: c.RunsEveryCycle, warmupCycles: c.LoopConfig.WarmupPolls},
	}
	slices.SortStableFunc(r.jobs, func(a, b workload.Job) int { return cmp.Or(cmp.Compare(a.Arrive, b.Arrive), cmp.Compare(a.ID, b.ID)) })
	if err := r.scheduleArrivals(owners); err != nil {
		return nil, err
	}
	if c.Policy == nil {
		return r, nil
	}
	return r, r.startLoop()
}

// runToEnd lets everything happen.
func (r *runner) runToEnd() error {
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
	if r.ReportProgress != nil {
		r.ReportProgress(len(r.jobs), len(r.jobs))
	}
	return nil
}

func (r *runner) isDone() bool { return r.submittedCount == len(r.jobs) && r.world.OpenJobCount() == 0 }

// runCycle runs the loop once. Where nothing was there the last time and nothing
// is there now, there is nothing to look at.
func (r *runner) runCycle(idle bool) error {
	if r.loop == nil || idle && r.world.OpenJobCount() == 0 {
		return nil
	}
	if r.DecidesUntil > 0 && r.world.Now().Sub(r.workloadStart) > r.DecidesUntil {
		r.loop = nil
		return nil
	}
	r.teachRunTimes()
	r.forgetIntents()
	rep := r.loop.Step(context.Background())
	r.plans.noteCycle(&rep, r.world.Now())
	r.cycleSkipper.noteCycle(&rep, r.world.PendingJobCount(), r.store.OpenIntentCount())
	for _, d := range rep.Doubts {
		if errors.Is(d.Err, cycle.ErrPolicy) || d.Cause == bridge.CauseJournal || d.Cause == bridge.CauseHistory {
			return fmt.Errorf("cycle at %v: %w", r.world.Now().Sub(r.workloadStart), d.Err)
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

// advanceTime lets time pass, but not beyond the end of the last job.
func (r *runner) advanceTime(to time.Time) {
	for !r.isDone() && r.world.Step(to) {
	}
}

// checkProgress finds out what went wrong, or stands still.
func (r *runner) checkProgress() error {
	if r.submitError != nil {
		return r.submitError
	}
	_, started, ended := r.world.JobTotals()
	if r.ReportProgress != nil {
		r.ReportProgress(ended, len(r.jobs))
	}
	stood := r.stallDetector.timeWithoutEvents(r.world.Now(), started+ended+r.submittedCount, r.world.OpenJobCount())
	if stood == 0 {
		return nil
	}
	for _, j := range r.world.Jobs() {
		if j.IsPending() {
			return fmt.Errorf("job %d waits for ever: nothing has happened for %v (Slurm's reason: %s)", r.jobs[r.jobIndexes.find(j.ID, j.ArrayJobID, j.ArrayTaskID)].ID, stood, j.Reason)
		}
	}
	return fmt.Errorf("nothing has happened for %v", stood)
}

// advanceToNextCycle lets time pass until the next cycle that is worth it. Cycles stay on
// their beat, and keep their numbers: where no job is there, none is run or counted anyway.
func (r *runner) advanceToNextCycle() {
	from, out, counted := r.world.Now(), 0, 0
	for {
		r.advanceTime(r.world.Now().Add(r.LoopConfig.Interval))
		now := r.world.Now()
		if !r.cycleSkipper.wasIdle || r.isDone() || !r.world.LastChange().Before(from) || now.Add(r.LoopConfig.Interval).Sub(from) > maxSkippedTime {
			break
		}
		out++
		if r.world.OpenJobCount() > 0 {
			counted++
		}
	}
	if out > 0 {
		r.store.SkipCycles(partitionName, counted)
		r.cycleSkipper.skippedCount += out
	}
}

// newResult is what came of it.
func (r *runner) newResult() *measure.Run {
	out := &measure.Run{PolicyName: r.PolicyName, Seed: r.Seed, DecideSeconds: r.timedPolicy.durations, WriteCount: r.writeCount}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			out.ClusterGPUs += d.Count - d.SickCount
		}
	}
	f := resultBuilder{workloadStart: r.workloadStart, jobs: r.jobs, jobIndexes: r.jobIndexes, endedRuns: r.world.EndedRuns()}
	f.fillRun(out)
	if r.Policy != nil {
		out.Starts = r.plans.countStarts(r.Nodes, f.endedRuns)
	}
	r.addIdle(out)
	return out
}

// cycleSkipper are the cycles that are left out because they could change nothing:
// no job waits, so there is nothing to order, to hold or to make room for; no
// edit of ours is under way; and nothing has happened since the last cycle.
// What a policy does for its own sake with running jobs (moving them together,
// say) it gets to do at least every maxSkippedTime.
type cycleSkipper struct {
	runsEveryCycle bool // every cycle is run
	warmupCycles   int  // cycles at the start that are run
	cycleCount     int  // that were run
	wasIdle        bool // after the last one nothing was left to do
	skippedCount   int  // cycles left out so far
}

// maxSkippedTime is how long cycles may be left out at a time.
const maxSkippedTime = 10 * time.Minute

// noteCycle takes note of a cycle after which so many jobs wait and so many intents
// are open.
func (q *cycleSkipper) noteCycle(rep *cycle.Report, waiting, open int) {
	q.cycleCount++
	q.wasIdle = !q.runsEveryCycle && q.cycleCount > q.warmupCycles && rep.Result == cycle.ResultNothing && len(rep.Intents) == 0 &&
		waiting == 0 && open == 0 && !needsEveryCycle(rep)
}

// needsEveryCycle reports whether the policy carries something from cycle to cycle that
// each would change.
func needsEveryCycle(rep *cycle.Report) bool {
	for i := range rep.PartitionResults {
		if p := rep.PartitionResults[i].Plan; p != nil && !p.Memo.IsTimeless() {
			return true
		}
	}
	return false
}

// forgetInterval is the time between two looks for intents that can be forgotten.
const forgetInterval = 10 * time.Minute

// forgetIntents drops the closed intents that can change nothing any more, now and then.
func (r *runner) forgetIntents() {
	if now := r.world.Now(); now.Sub(r.lastForgetTime) >= forgetInterval {
		r.lastForgetTime = now
		r.store.ForgetClosed(r.canForgetIntent)
	}
}

// canForgetIntent reports whether a closed intent can change nothing any more. Slurm was started
// before those that were sent later than at the very beginning.
func (r *runner) canForgetIntent(in *bridge.Intent) bool {
	now := r.world.Now()
	if now.Sub(in.Closed) >= push.MaxClosedIntentAge {
		return true
	}
	return !r.RunsEveryCycle && in.LastTouched().Sub(r.workloadStart) > time.Second &&
		cycle.CanForgetIntent(in, &r.LoopConfig, r.world.HasEnded(in.Edit.Run.Job), now)
}

// stallTimeout is how long nothing may start or end, beyond the longest job,
// before a run is given up.
const stallTimeout = 14 * 24 * time.Hour

// stallDetector notices that nothing happens any more.
type stallDetector struct {
	maxJobTime    time.Duration // a job may run
	eventCount    int
	lastEventTime time.Time
}

// timeWithoutEvents takes a count of what has happened so far, and returns for how long
// nothing has, once that is longer than any job runs; else 0. While no job is
// there, nothing is missed.
func (s *stallDetector) timeWithoutEvents(now time.Time, sum, jobs int) time.Duration {
	if sum != s.eventCount || jobs == 0 {
		s.eventCount, s.lastEventTime = sum, now
	}
	if d := now.Sub(s.lastEventTime); d >= s.maxJobTime+stallTimeout {
		return d
	}
	return 0
}
