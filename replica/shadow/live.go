package shadow

import (
	"context"
	"errors"

	"fairbridge/bridge/harm"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
)

// ErrNothingLive is returned where Slurm alone decided.
var ErrNothingLive = errors.New("nothing of ours decided then: there is nothing to compare with Slurm alone")

// AloneRuns is how many simulations of Slurm alone MeasureLive makes for each of what was done: they cost
// little without a loop beside them, and what chance does is known from them.
const AloneRuns = 4

// CountLiveRuns is how many simulations MeasureLive takes.
func CountLiveRuns(seeds int) int { return (AloneRuns + 1) * seeds }

// MeasureLive compares what a partition really did, with our plans live, with what Slurm alone
// would have done with the same jobs, as far as the simulation of it can be believed: by how far
// it is off what was really done. site is of a period that ends now. Waits and slowdowns are those
// until then: who waits still counts with the wait so far, in the simulation likewise.
func MeasureLive(ctx context.Context, site *replay.PastScenario, o Options) (m harm.Measurement, err error) {
	alone, then, err := simulateLive(ctx, site, true, AloneRuns, o)
	if err != nil {
		return m, err
	}
	m = newMeasurement(site, alone, then)
	m.Policy, m.Mode = site.Decider.Label, site.Mode
	return m, nil
}

// simulateLive simulates what a partition ran, by seed: under Slurm alone, so many times for each time as it was
// done. isNow says that the period ends now: what our loop would do after it is not asked for.
func simulateLive(ctx context.Context, site *replay.PastScenario, isNow bool, aloneRuns int, o Options) (alone, then []*measure.Run, err error) {
	if site.Decider.Label == policyset.SlurmName {
		return nil, nil, ErrNothingLive
	}
	o.ThroughSlurm, o.LoopConfig, o.History, o.Mode = true, site.LoopConfig, site.History, site.Mode
	if isNow {
		o.DecidesUntil = site.Until.Sub(site.Since)
	}
	o.RestartCost = study.DefaultRestartCost
	was, err := simulate(ctx, site, o, []policyset.PolicyChoice{site.Decider}, 0)
	if err != nil {
		return nil, nil, err
	}
	done := o.SeedCount
	o.SeedCount *= aloneRuns
	other, err := simulate(ctx, site, o, []policyset.PolicyChoice{policyset.SlurmAlone()}, done)
	if err != nil {
		return nil, nil, err
	}
	return other[0], was[0], nil
}

// LiveRuns are the jobs of a period that count, as they were and as they were simulated.
type LiveRuns struct {
	Live        *measure.Run   // what happened
	Alone, Then []*measure.Run // by seed: under Slurm alone, and as it was done
}

// CountPairedRuns is how many simulations SimulateLive takes.
func CountPairedRuns(seeds int) int { return 2 * seeds }

// SimulateLive simulates what a partition ran with our plans live, as MeasureLive does, where the
// jobs themselves are wanted. isNow says that the period ends now, so that waits count until then;
// else every job that counts must have ended.
func SimulateLive(ctx context.Context, site *replay.PastScenario, isNow bool, o Options) (*LiveRuns, error) {
	alone, then, err := simulateLive(ctx, site, isNow, 1, o)
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
		Since: site.Since, Until: site.Until, JobCount: len(jobs), StopCount: site.OwnStopCount, SeedCount: len(then), Remarks: site.Remarks, Figures: []harm.Figure{},
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
	var figures []harm.Figure
	for _, g := range append(append([]Group{all}, accounts...), sizes...) {
		figures = append(figures, harm.Figure{
			Kind: kind, Account: g.Account, Size: g.Size, JobCount: g.JobCount, Live: g.RealWait, Alone: g.AloneWait, OwnError: g.OwnError, Band: harm.BandOf(g.aloneDeviation, len(jobs[0].alone)),
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
	byAlone, byThen := idlePercents(alone, end), idlePercents(then, end)
	return harm.Figure{Kind: harm.Idle, Live: was, Alone: mean(byAlone), OwnError: mean(byThen) - was, Band: harm.BandOf(standardDeviation(byAlone), len(alone))}
}

func idlePercents(runs []*measure.Run, end float64) []float64 {
	all := make([]float64, len(runs))
	for i, r := range runs {
		all[i] = idlePercent(r, end)
	}
	return all
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
