package shadow

import (
	"context"
	"errors"
	"math"

	"fairbridge/bridge/harm"
	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/replay"
)

// ErrNothingLive is returned where Slurm alone decided.
var ErrNothingLive = errors.New("nothing of ours decided then: there is nothing to compare with Slurm alone")

// CountLiveRuns is how many simulations MeasureLive takes.
func CountLiveRuns(seeds int) int { return 2 * seeds }

// MeasureLive compares what a partition really did, with our plans live, with what Slurm alone
// would have done with the same jobs, as far as the simulation of it can be believed: by how far
// it is off what was really done. site is of a period that ends now. Waits and slowdowns are those
// until then: who waits still counts with the wait so far, in the simulation likewise.
func MeasureLive(ctx context.Context, site *replay.PastScenario, o Options) (m harm.Measurement, err error) {
	alone, then, err := simulateLive(ctx, site, o)
	if err != nil {
		return m, err
	}
	m = newMeasurement(site, alone, then)
	m.Policy, m.Mode = site.Decider.Label, site.Mode
	return m, nil
}

// simulateLive simulates what a partition ran, by seed: under Slurm alone, and as it was done.
func simulateLive(ctx context.Context, site *replay.PastScenario, o Options) (alone, then []*measure.Run, err error) {
	if site.Decider.Label == policyset.SlurmName {
		return nil, nil, ErrNothingLive
	}
	o.ThroughSlurm, o.LoopConfig, o.History, o.Mode = true, site.LoopConfig, site.History, site.Mode
	if err := o.SetClock("intervals", 0, site.Scenario); err != nil {
		return nil, nil, err
	}
	runs, err := simulate(ctx, site, o, []policyset.PolicyChoice{policyset.SlurmAlone(), site.Decider}, 0)
	if err != nil {
		return nil, nil, err
	}
	return runs[0], runs[1], nil
}

// LiveRuns are the jobs of a period that count, as they were and as they were simulated.
type LiveRuns struct {
	Live        *measure.Run   // what happened
	Alone, Then []*measure.Run // by seed: under Slurm alone, and as it was done
}

// SimulateLive simulates what a partition ran with our plans live, as MeasureLive does, where the
// jobs themselves are wanted. isNow says that the period ends now, so that waits count until then;
// else every job that counts must have ended.
func SimulateLive(ctx context.Context, site *replay.PastScenario, isNow bool, o Options) (*LiveRuns, error) {
	alone, then, err := simulateLive(ctx, site, o)
	if err != nil {
		return nil, err
	}
	live := []*measure.Run{site.RealRun}
	if isNow {
		end := site.Until.Sub(site.Since).Seconds()
		live, alone, then = cutAllAt(live, end), cutAllAt(alone, end), cutAllAt(then, end)
	}
	return &LiveRuns{countedOnly(site, live)[0], countedOnly(site, alone), countedOnly(site, then)}, nil
}

// newMeasurement makes figures of what happened and of the runs, by seed, of Slurm alone and of
// what was done.
func newMeasurement(site *replay.PastScenario, alone, then []*measure.Run) harm.Measurement {
	end := site.Until.Sub(site.Since).Seconds()
	cut := *site
	cut.RealRun = cutAt(site.RealRun, end)
	idle := newIdleFigure(end, site.RealRun, alone, then)
	alone, then = cutAllAt(alone, end), cutAllAt(then, end)
	jobs := newPastJobs(&cut, cluster.MaxGPUsPerNode(site.Nodes), then, alone, then)
	m := harm.Measurement{
		Since: site.Since, Until: site.Until, JobCount: len(jobs), StopCount: site.OwnStopCount, SeedCount: len(alone), Remarks: site.Remarks, Figures: []harm.Figure{},
	}
	if len(jobs) == 0 {
		return m
	}
	m.Figures = append(m.Figures, newFigures(harm.Wait, jobs)...)
	m.Figures = append(m.Figures, newFigures(harm.Slowdown, asSlowdowns(&cut, jobs, alone, then))...)
	idle.JobCount = len(jobs)
	m.Figures = append(m.Figures, idle)
	return m
}

// newFigures are the figures of all jobs, of each account and of each size.
func newFigures(kind harm.Kind, jobs []pastJob) []harm.Figure {
	accounts := groupJobs(jobs, func(k groupKey) groupKey { return groupKey{account: k.account} })
	sizes := groupJobs(jobs, func(k groupKey) groupKey { return groupKey{size: k.size, leastGPUs: k.leastGPUs} })
	all := newGroup(jobs)
	all.setBand(pooledError(accounts))
	var figures []harm.Figure
	for _, g := range append(append([]Group{all}, accounts...), sizes...) {
		figures = append(figures, harm.Figure{
			Kind: kind, Account: g.Account, Size: g.Size, JobCount: g.JobCount, Live: g.RealWait, Alone: g.AloneWait, OwnError: g.OwnError, Band: g.Band,
		})
	}
	return figures
}

// asSlowdowns are the jobs with their slowdowns in place of their waits.
func asSlowdowns(site *replay.PastScenario, jobs []pastJob, alone, then []*measure.Run) []pastJob {
	slowdowns := func(outcomes []*measure.JobOutcome) []float64 {
		all := make([]float64, len(outcomes))
		for i, o := range outcomes {
			all[i] = o.Slowdown()
		}
		return all
	}
	thenByID, aloneByID := outcomesByID(then), outcomesByID(alone)
	out, k := make([]pastJob, len(jobs)), 0
	for i := range site.RealRun.JobOutcomes {
		o := &site.RealRun.JobOutcomes[i]
		if !site.ArrivedWithinPeriod[o.ID] {
			continue
		}
		out[k] = pastJob{groupKey: jobs[k].groupKey, real: o.Slowdown(), then: slowdowns(thenByID[o.ID]), alone: slowdowns(aloneByID[o.ID])}
		out[k].plan = out[k].then
		k++
	}
	return out
}

// cutAt returns the run with the waits of its jobs as they were at a moment: a job that has not
// ended by then does what is left of its work without another wait.
func cutAt(r *measure.Run, end float64) *measure.Run {
	c := *r
	c.JobOutcomes = make([]measure.JobOutcome, len(r.JobOutcomes))
	for i, o := range r.JobOutcomes {
		wait := min(o.Start, end) - o.Arrive
		if stopped := o.Finish - o.Start - o.ExclusiveRunSeconds; stopped > 0 && o.Start < end {
			wait += min(stopped, end-o.Start)
		}
		o.Finish = o.Arrive + max(wait, 0) + o.ExclusiveRunSeconds
		c.JobOutcomes[i] = o
	}
	return &c
}

func cutAllAt(runs []*measure.Run, end float64) []*measure.Run {
	all := make([]*measure.Run, len(runs))
	for i, r := range runs {
		all[i] = cutAt(r, end)
	}
	return all
}

// newIdleFigure is the part of the GPUs that stood idle while jobs waited.
func newIdleFigure(end float64, live *measure.Run, alone, then []*measure.Run) harm.Figure {
	was := idlePercent(live, end)
	byAlone, byThen := make([]float64, len(alone)), make([]float64, len(then))
	for i := range alone {
		byAlone[i], byThen[i] = idlePercent(alone[i], end), idlePercent(then[i], end)
	}
	f := harm.Figure{Kind: harm.Idle, Live: was, Alone: mean(byAlone), OwnError: mean(byThen) - was}
	f.Band = BandWidth * math.Hypot(f.OwnError, math.Hypot(standardDeviation(byAlone), standardDeviation(byThen)))
	return f
}

// idlePercent is how many of the GPUs stood idle in the mean while jobs waited, in percent of all
// GPUs and of the time until the end: time in which no job waited counts as without any. A job
// that was stopped counts as if it had run on and waited after.
func idlePercent(r *measure.Run, end float64) float64 {
	var changes []measure.JobChange
	for i := range r.JobOutcomes {
		o := &r.JobOutcomes[i]
		changes = append(changes, measure.JobChange{AtSeconds: o.Arrive, QueuedDelta: 1}, measure.JobChange{AtSeconds: o.Start, GPUDelta: o.GPUCount, QueuedDelta: -1},
			measure.JobChange{AtSeconds: o.Start + o.HeldSeconds, GPUDelta: -o.GPUCount})
	}
	idle, samples := 0.0, measure.SamplesFromChanges(changes)
	for i := range samples[:max(len(samples)-1, 0)] {
		s, next := &samples[i], min(samples[i+1].AtSeconds, end)
		if s.QueuedJobs > 0 && next > s.AtSeconds {
			idle += float64(max(r.ClusterGPUs-s.BusyGPUs, 0)) * (next - s.AtSeconds)
		}
	}
	return 100 * idle / max(end*float64(r.ClusterGPUs), 1)
}
