package learner

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/solve/network"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/workload"
)

// Comparison is how weights did beside another policy, on the same jobs.
type Comparison struct {
	With   string    `json:"with"`
	Ratios []float64 `json:"ratios"` // by seed: mean completion by the weights over that by the other; below 1 they do better
	Median float64   `json:"median"`
	Least  float64   `json:"least"`
	Most   float64   `json:"most"`
	// LosingSeeds are those on which the weights do worse.
	LosingSeeds []int64 `json:"losing_seeds"`
	// LosingJobs is the part of all jobs that took a tenth and a minute longer.
	LosingJobs float64 `json:"losing_jobs"`
	// Met is how much larger a part of the deadlines the weights meet, by seed; nil: there are none.
	Met []float64 `json:"met,omitempty"`
}

// Evaluation is how weights did on workloads that they did not learn from.
type Evaluation struct {
	Policy      string       `json:"policy"`
	Hash        string       `json:"weights"`
	Source      string       `json:"source"`
	Seeds       int          `json:"seeds"`
	MeanJCT     []float64    `json:"mean_jct_s"` // by seed
	Comparisons []Comparison `json:"comparisons"`
	ErrorTitle  string       `json:"error_of,omitempty"`
	Errors      []float64    `json:"errors,omitempty"` // by seed, over the teacher's; nil: none are measured
}

// lastTrialSeed is the last seed that no training draws.
const lastTrialSeed = 1000

// TrainingSeed brings a number that was drawn to a seed that weights may learn from.
func TrainingSeed(number int64) int64 { return lastTrialSeed + 1 + number }

// Evaluate tries weights on workloads of the seeds from first on, which no training draws, beside their teacher, the learner's
// baselines and the incumbents, which are policies as command lines write them.
func (l *Learner) Evaluate(ctx context.Context, weights []byte, source Source, incumbents string, first int64, seeds int) (*Evaluation, error) {
	if first < 1 || first+int64(seeds)-1 > lastTrialSeed {
		return nil, fmt.Errorf("trying weights on the workloads %d to %d: only 1 to %d are none that they may have learnt from", first, first+int64(seeds)-1, lastTrialSeed)
	}
	others, err := l.listOthers(incumbents)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{Policy: l.Policy, Hash: network.ShortHash(weights), Source: source.Name(), Seeds: seeds, Comparisons: make([]Comparison, len(others))}
	for seed := first; seed < first+int64(seeds); seed++ {
		ours, err := l.runSeed(ctx, source, seed, func() (policy.Policy, error) { return l.NewPolicy(weights) })
		if err != nil {
			return nil, err
		}
		if err := e.measureErrors(l, weights, source, seed); err != nil {
			return nil, err
		}
		e.MeanJCT = append(e.MeanJCT, ours.run.Summarize().AvgJCT)
		for i, o := range others {
			theirs, err := l.runSeed(ctx, source, seed, o.NewPolicy)
			if err != nil {
				return nil, err
			}
			e.Comparisons[i].add(seed, ours, theirs)
		}
	}
	for i := range e.Comparisons {
		e.Comparisons[i].finish(others[i].Label, seeds)
	}
	return e, nil
}

// measureErrors adds what the learner's Errors has of a seed.
func (e *Evaluation) measureErrors(l *Learner, weights []byte, source Source, seed int64) error {
	if l.Errors == nil {
		return nil
	}
	c, err := source.Draw(seed)
	if err != nil {
		return err
	}
	ratio, err := l.Errors.Measure(weights, c, seed)
	if err != nil {
		return fmt.Errorf("measuring errors on workload %d: %w", seed, err)
	}
	e.ErrorTitle, e.Errors = l.Errors.Title, append(e.Errors, ratio)
	return nil
}

// listOthers are the policies to compare with.
func (l *Learner) listOthers(incumbents string) ([]policyset.PolicyChoice, error) {
	system, err := catalogue.FindSystem(l.Policy)
	if err != nil {
		return nil, err
	}
	list, sign := l.Policy, ":"
	for _, name := range slices.Sorted(maps.Keys(system.Teacher)) {
		list, sign = list+fmt.Sprintf("%s%s=%v", sign, name, system.Teacher[name]), ","
	}
	for _, more := range []string{l.Baselines, incumbents} {
		if more != "" {
			list += "," + more
		}
	}
	return policyset.ParsePolicies(list, true)
}

// outcome is what came of a workload.
type outcome struct {
	jobs []workload.Job
	run  *measure.Run
}

func (l *Learner) runSeed(ctx context.Context, source Source, seed int64, newPolicy func() (policy.Policy, error)) (*outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := source.Draw(seed)
	if err == nil {
		c.Policy, err = newPolicy()
	}
	if err != nil {
		return nil, err
	}
	if l.Surround != nil {
		c.Policy = l.Surround(c.Policy, &c, seed)
	}
	run, err := exact.Run(c)
	if err != nil {
		return nil, fmt.Errorf("trying weights on workload %d: %w", seed, err)
	}
	return &outcome{c.Jobs, run}, nil
}

// DeadlinesMet is the part of the jobs' deadlines that a run of them meets; NaN: there are none.
func DeadlinesMet(jobs []workload.Job, run *measure.Run) float64 {
	deadlines, met, all := map[int64]float64{}, 0.0, 0.0
	for i := range jobs {
		deadlines[jobs[i].ID] = jobs[i].Deadline
	}
	for i := range run.JobOutcomes {
		o := &run.JobOutcomes[i]
		if deadlines[o.ID] == 0 {
			continue
		}
		if all++; o.Finish <= deadlines[o.ID] {
			met++
		}
	}
	return met / all
}

// add compares two runs of the same jobs.
func (c *Comparison) add(seed int64, ours, theirs *outcome) {
	ratio := ours.run.Summarize().AvgJCT / theirs.run.Summarize().AvgJCT
	if c.Ratios = append(c.Ratios, ratio); ratio > 1 {
		c.LosingSeeds = append(c.LosingSeeds, seed)
	}
	if more := DeadlinesMet(ours.jobs, ours.run) - DeadlinesMet(theirs.jobs, theirs.run); !math.IsNaN(more) {
		c.Met = append(c.Met, more)
	}
	losing, finish := 0.0, map[int64]float64{}
	for i := range theirs.run.JobOutcomes {
		finish[theirs.run.JobOutcomes[i].ID] = theirs.run.JobOutcomes[i].Finish
	}
	for i := range ours.run.JobOutcomes {
		j := &ours.run.JobOutcomes[i]
		if was := finish[j.ID] - j.Arrive; j.Finish-j.Arrive > 1.1*was && j.Finish-j.Arrive > was+60 {
			losing++
		}
	}
	c.LosingJobs += losing / float64(max(len(ours.run.JobOutcomes), 1))
}

func (c *Comparison) finish(label string, seeds int) {
	if c.With = label; seeds == 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(c.Ratios))
	c.Median, c.Least, c.Most = measure.Median(sorted), sorted[0], sorted[len(sorted)-1]
	c.LosingJobs /= float64(seeds)
}
