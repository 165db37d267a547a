package shadow

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"fairbridge/bridge"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// Plan is what is asked about: a policy, and how much of its plans may reach Slurm.
type Plan struct {
	Policy policyset.PolicyChoice
	Mode   bridge.Mode
}

// Options say how a report is made.
type Options struct {
	study.RunOptions // of which policies, configuration and history are not used
	SeedCount        int
	ParallelRuns     int
	Progress         func(run int, label string, done, of int) // may be nil; see CountRuns
}

// CountRuns is how many simulations a report takes.
func CountRuns(site *replay.PastScenario, seeds int) int {
	if site.Decider.Label == policyset.SlurmName {
		return 2 * seeds
	}
	return 3 * seeds
}

// NewReport simulates what was done, Slurm alone, and Slurm with the plan.
func NewReport(ctx context.Context, site *replay.PastScenario, plan Plan, o Options) (*Report, error) {
	o.ThroughSlurm, o.LoopConfig, o.History, o.Mode = true, site.LoopConfig, site.History, plan.Mode
	o.RestartCost = study.DefaultRestartCost
	runs, err := simulate(ctx, site, o, []policyset.PolicyChoice{policyset.SlurmAlone(), plan.Policy}, 0)
	if err != nil {
		return nil, err
	}
	alone, planned, then := runs[0], runs[1], runs[0]
	if site.Decider.Label != policyset.SlurmName {
		o.Mode = site.Mode
		if runs, err = simulate(ctx, site, o, []policyset.PolicyChoice{site.Decider}, 2*o.SeedCount); err != nil {
			return nil, err
		}
		then = runs[0]
	}
	r := compareRuns(site, then, alone, planned)
	r.Policy, r.Mode, r.DecidedThen = plan.Policy.Label, plan.Mode, site.Decider.Label
	return r, nil
}

// arrivalNoise is how many seconds later jobs arrive at most, other ones with each seed: about
// as much as nobody knows of when Slurm looked at them.
const arrivalNoise = 30

// simulate returns the runs of each policy by seed. first is the number of the first run.
func simulate(ctx context.Context, site *replay.PastScenario, o Options, policies []policyset.PolicyChoice, first int) ([][]*measure.Run, error) {
	e := study.Experiment{Policies: policies, RunOptions: o.RunOptions}
	for k := range o.SeedCount {
		s := *site.Scenario
		s.Jobs = slices.Clone(s.Jobs)
		study.DelayArrivals(s.Jobs, arrivalNoise, o.Seed+int64(k))
		drawRunTimes(s.Jobs, site.Unended, o.Seed+int64(k))
		e.Scenarios = append(e.Scenarios, &s)
	}
	progress := o.Progress
	if progress != nil {
		progress = func(run int, label string, done, of int) { o.Progress(first+run, label, done, of) }
	}
	results, err := e.Run(ctx, max(o.ParallelRuns, 1), progress)
	all := make([][]*measure.Run, len(results))
	for i := range results {
		err = errors.Join(err, results[i].Err)
		all[i] = results[i].Runs
		for _, r := range all[i] {
			restoreRunTimes(r, site.Unended)
		}
	}
	return all, err
}

// drawRunTimes gives jobs that have not ended a run time of those that are predicted of them,
// other ones with each seed: a policy that makes jobs wait leaves many of them, and one value for each,
// the median, is too little altogether where few run for long, and hides that nobody knows it.
func drawRunTimes(jobs []workload.Job, unended map[int64]replay.UnendedJob, seed int64) {
	for i := range jobs {
		if u, ok := unended[jobs[i].ID]; ok {
			jobs[i].Duration = u.Ran + drawLeft(u, rand.New(rand.NewPCG(uint64(seed), uint64(jobs[i].ID))).NormFloat64())
		}
	}
}

// drawLeft is log-normal, by its median and what one standard deviation above it is.
func drawLeft(u replay.UnendedJob, deviations float64) float64 {
	if u.UpperLeft <= u.Left || u.Left <= 0 {
		return u.Left
	}
	left := u.Left * math.Pow(u.UpperLeft/u.Left, deviations)
	if u.MostLeft > 0 {
		left = min(left, u.MostLeft)
	}
	return max(left, 1)
}

// restoreRunTimes lets the jobs of a run have the run times of the scenario again, with the waits
// of the run: a slowdown is of the same run time, however it was simulated.
func restoreRunTimes(r *measure.Run, unended map[int64]replay.UnendedJob) {
	for i := range r.JobOutcomes {
		o := &r.JobOutcomes[i]
		if u, ok := unended[o.ID]; ok {
			o.Finish += u.Ran + u.Left - o.ExclusiveRunSeconds
			o.ExclusiveRunSeconds = u.Ran + u.Left
		}
	}
}
