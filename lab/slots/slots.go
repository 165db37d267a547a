package slots

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// engine is a simulation under way.
type engine struct {
	exact.Config
	overheads overheads
	slot      float64 // seconds
	now       float64
	future    []*job
	present   []*job // by id; snapshot.Jobs are their views
	snapshot  policy.Snapshot
	run       *measure.Run
	all       []job
}

// Run simulates until all jobs are done. A job that can run on no size of a type of the cluster
// is an error, and so is a plan that breaks the rules for plans. Nodes are up all the time and jobs do
// not share GPUs.
func Run(c exact.Config) (*measure.Run, error) {
	started := time.Now()
	e, err := newEngine(c)
	if err != nil {
		return nil, err
	}
	for len(e.future)+len(e.present) > 0 {
		next := e.nextEvent()
		if math.IsInf(next, 1) {
			return nil, exact.DeadlockError(e.now, len(e.present), e.present[0].Job, e.run.ClusterGPUs)
		}
		e.advance(next)
		if len(e.present) == 0 {
			continue
		}
		if err := e.decide(); err != nil {
			return nil, err
		}
	}
	e.fillResults()
	e.run.WallSeconds = time.Since(started).Seconds()
	return e.run, nil
}

func newEngine(c exact.Config) (*engine, error) {
	gpus := cluster.CountGPUs(c.Nodes)
	if c.Policy == nil || gpus == 0 {
		return nil, errors.New("a simulation needs a policy and nodes with GPUs")
	}
	if err := exact.CheckClockSuits(c.Jobs, c.Clock); err != nil {
		return nil, err
	}
	e := &engine{
		Config: c, overheads: newOverheads(c.Clock, gpus), slot: c.Clock.MinInterval.Seconds(), all: make([]job, len(c.Jobs)),
		snapshot: policy.Snapshot{Cluster: "simulated", Nodes: c.Nodes, OmitReasons: c.OmitsReasons, Accounts: slices.Clone(c.Accounts)},
		run:      &measure.Run{Seed: c.Seed, ClusterGPUs: gpus, FillableIdleGPUSeconds: -1, ShareDeficit: -1},
	}
	for i := range c.Jobs {
		if err := e.all[i].load(&c.Jobs[i], c.SpeedTables, c.Nodes); err != nil {
			return nil, err
		}
		e.future = append(e.future, &e.all[i])
	}
	slices.SortStableFunc(e.future, func(a, b *job) int { return cmp.Compare(a.Arrive, b.Arrive) })
	return e, checkDuplicateIDs(c.Jobs)
}

// checkDuplicateIDs names a job id that stands for two jobs.
func checkDuplicateIDs(jobs []workload.Job) error {
	seen := make(map[int64]bool, len(jobs))
	for i := range jobs {
		if seen[jobs[i].ID] {
			return fmt.Errorf("%s: its id is given twice", jobs[i].Location())
		}
		seen[jobs[i].ID] = true
	}
	return nil
}

// nextEvent is when the next event is handled; infinity: there is none.
func (e *engine) nextEvent() float64 {
	var times []float64
	waiting := false
	for _, j := range e.present {
		if j.on == nil {
			waiting = true
		} else {
			times = append(times, j.plannedEnd)
		}
	}
	for _, j := range e.future {
		times = append(times, j.Arrive)
	}
	if e.run.DecideSeconds == nil && len(times) > 0 {
		return slices.Min(times) // nothing has begun: the first arrival waits for no slot
	}
	return nextEventTime(e.now, e.slot, times, waiting && len(times) > 0)
}

// advance goes to the time of an event: running jobs make progress, those whose planned end
// has come leave, others arrive.
func (e *engine) advance(to float64) {
	for _, j := range e.present {
		e.settle(j, to)
	}
	e.now = to
	kept := e.present[:0]
	for i, j := range e.present {
		if j.on != nil && j.plannedEnd <= to {
			e.endJob(j)
			continue
		}
		e.snapshot.Jobs[len(kept)] = e.snapshot.Jobs[i]
		kept = append(kept, j)
	}
	e.present, e.snapshot.Jobs = kept, e.snapshot.Jobs[:len(kept)]
	for len(e.future) > 0 && e.future[0].Arrive <= to {
		j := e.future[0]
		e.future = e.future[1:]
		i, _ := slices.BinarySearchFunc(e.present, j.ID, func(a *job, id int64) int { return cmp.Compare(a.ID, id) })
		e.present = slices.Insert(e.present, i, j)
		e.snapshot.Jobs = slices.Insert(e.snapshot.Jobs, i, j.newView())
	}
	if done := len(e.all) - len(e.future) - len(e.present); e.ReportProgress != nil {
		e.ReportProgress(done, len(e.all))
	}
}

// endJob notes the end of a job as it was planned, and lets the predictor learn from it.
func (e *engine) endJob(j *job) {
	j.outcome.Finish = j.plannedEnd
	if e.RunTimes != nil {
		e.RunTimes.AddEndedRun(learn.Run{
			Job:   learn.Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: j.on.FirstType(), GPUs: j.GPUs, Limit: j.TimeLimit},
			Start: workload.CalendarTimeAt(j.outcome.Start), End: workload.CalendarTimeAt(j.outcome.Finish), Ran: policy.DurationFromSeconds(j.outcome.HeldSeconds),
		})
	}
}

// forecastNow is what is predicted at the moment of the snapshot; nil: nothing, or the truth.
func (e *engine) forecastNow() policy.Forecast {
	if e.RunTimes == nil || e.PredictsTruth {
		return nil
	}
	return e.RunTimes.ForecastAt(e.snapshot.Now)
}

// predictTimeLeft tells policies what remains of a job that does not report it.
func (e *engine) predictTimeLeft(j *job, v *policy.Job, f policy.Forecast) {
	switch {
	case v.Training != nil:
	case e.PredictsTruth:
		v.PredictedLeft = policy.DurationFromSeconds(max((j.totalUnits-j.doneUnits)/j.rates[0].StepsPerSecond, 1))
	case f != nil:
		v.PredictedLeft, v.PredictedSigma = f.PredictTimeLeft(v)
	}
}

// settle books what a job did until a time.
func (e *engine) settle(j *job, to float64) {
	held := min(to, j.plannedEnd) - e.now
	if j.on == nil || held <= 0 {
		return
	}
	gpus := float64(j.on.Count())
	progress := max(held-j.overhead, 0)
	j.doneUnits = min(j.doneUnits+progress*j.unitsPerSecond, j.totalUnits)
	j.outcome.HeldSeconds += held
	j.outcome.Service += held * gpus
	j.outcome.LostService += (held - progress) * gpus
	j.sinceDecision += held * gpus
	e.run.BusyGPUSeconds += progress * gpus
}

// decide asks the policy and carries its plan out.
func (e *engine) decide() error {
	s := &e.snapshot
	s.Seq++
	s.Now, s.ClockSeconds = workload.CalendarTimeAt(e.now), e.now
	f := e.forecastNow()
	if s.PredictionTrust = 0; e.PredictsTruth {
		s.PredictionTrust = 1
	} else if f != nil {
		s.PredictionTrust = f.PredictionTrust()
	}
	for i, j := range e.present {
		j.updateView(&s.Jobs[i])
		e.predictTimeLeft(j, &s.Jobs[i], f)
	}
	started := time.Now()
	plan, err := e.Policy.Decide(s)
	if err == nil {
		err = plan.Check(s)
	}
	if err != nil {
		return fmt.Errorf("decision %d, at %.0f s: %w", s.Seq, e.now, err)
	}
	e.run.DecideSeconds = append(e.run.DecideSeconds, time.Since(started).Seconds())
	if e.WatchDecision != nil {
		e.WatchDecision(s, plan)
	}
	if err := e.carryOut(plan); err != nil {
		return fmt.Errorf("decision %d, at %.0f s: carrying out the plan: %w", s.Seq, e.now, err)
	}
	s.Memo, e.run.PolicyName = plan.Memo, plan.Policy
	return nil
}

// carryOut lets every job have what the plan gives it, and reckons when it will end.
func (e *engine) carryOut(plan *policy.Plan) error {
	restarts := e.overheads.nextEvent()
	sample := measure.ClusterSample{AtSeconds: e.now, QueuedJobs: len(e.present)}
	for i := range plan.Decisions {
		j, v := e.present[i], &e.snapshot.Jobs[i]
		j.follow(&plan.Decisions[i], v, e.now)
		if j.on == nil {
			continue
		}
		j.overhead = e.overheads.seconds(j.on.Count(), restarts)
		if j.unitsPerSecond = j.speedOn(j.on); j.unitsPerSecond <= 0 {
			return fmt.Errorf("job %d: put on %v, where it cannot run", j.ID, j.on)
		}
		j.plannedEnd = math.Ceil(e.now+(j.totalUnits-j.doneUnits)/j.unitsPerSecond) + j.overhead
		sample.BusyGPUs += j.on.Count()
		sample.RunningJobs++
		sample.QueuedJobs--
	}
	e.run.Samples = append(e.run.Samples, sample)
	return nil
}

// fillResults writes the results down.
func (e *engine) fillResults() {
	for i := range e.all {
		e.run.JobOutcomes = append(e.run.JobOutcomes, e.all[i].outcome)
		e.run.MakespanSeconds = max(e.run.MakespanSeconds, e.all[i].outcome.Finish)
	}
}
