// Package metis chooses on how many GPUs a job that comes again runs next by what its earlier runs
// reported: by a Gaussian process over sizes and expected improvement, a size or two are tried that promise most, and the best is
// kept. What is free goes to the jobs that it speeds up most.
//
// It is after a thesis of 2020 called Metis, of which only the rule was at hand, not the text: Bayesian optimisation of a
// job's resources, and an agent that allocates them in slots. Another Metis, of SC 2020, places containers and has nothing to
// do with it. The method is that of D. R. Jones, M. Schonlau, W. J. Welch, "Efficient Global Optimization of Expensive
// Black-Box Functions", Journal of Global Optimization 13, 1998.
package metis

import (
	"fmt"
	"math"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/sizing"
)

// Policy is Metis with its parameters.
type Policy struct {
	Tries   int     `param:"tries" default:"6" min:"0" max:"20" help:"how many sizes of a kind of jobs are tried at most"`
	MinGain float64 `param:"min_gain" default:"0.01" min:"0" max:"1" help:"part of the best speed that a try must be expected to bring"`
	Spare   float64 `param:"spare" default:"0.8" min:"0" max:"1" help:"jobs are given no size on which they need more GPU time than on what they ask, but for as much as leaves the cluster this full, as full as it was lately"`
	Safe    float64 `param:"safe" default:"0.8" min:"0" max:"1" help:"no size on which a job is expected to go slower than at this part of its speed on what it asks"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	was, err := policy.Recall[demand](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy metis: %w", err)
	}
	a := &allocator{Policy: p, demand: was}
	plan, err := engine.Pipeline{
		Name:     "metis",
		Predict:  predict.Ladder{},
		Allocate: a,
		Preempt:  sizing.StopsNone{},
		Backfill: backfill.EASY{},
		Rules:    p.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(a.demand)
	return plan, nil
}

// System describes Metis in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "metis", Title: "Metis: a size for jobs that come again, by Bayesian optimisation", Venue: "thesis", Year: 2020,
		Cite:         `"Metis", thesis, 2020 (not the Metis of SC 2020); D. R. Jones, M. Schonlau, W. J. Welch, "Efficient Global Optimization of Expensive Black-Box Functions", Journal of Global Optimization 13, 1998`,
		Idea:         "Try for jobs that come again the size that earlier runs make promise most, and keep the best; give what is free to whom it speeds up most.",
		OwnStages:    []string{"predict", "order", "size", "backfill"},
		NeededInputs: []string{"least and most GPUs of elastic jobs", "how fast earlier runs of its user and class went, by size", "how long a job will run"},
		Fallback:     "a job without a range, or of whose kind no speed was reported, gets what it asks: its first run is the first measurement",
		Reproduced: "of 20 kinds of jobs with hidden curves and reports that err by 5 %, the size chosen after five runs is within 5 % of the fastest for all (.95 to 1.00, seven seeds), and loses .06 of what sizes by chance do (0 to .22); " +
			"mean completion of 400 recurring jobs over that on what they ask: .61 where that is .3 of the cluster, .77 at .5, .93 at .7, .97 at .9 and .91 at 1.1 (medians of five seeds; the thesis names no figures)",
		Deviations: []string{
			"A size is tried by the next run of a kind of jobs, never by a restart: what runs keeps its size.",
			"The law of Amdahl is what is thought before anything is measured, with the serial part that suits the measurements; the thesis begins with nothing, and a size costs it a run.",
			"The agent that allocates slot by slot is a rule here: devices go to the job of whose work each does most. No network is trained for it.",
			"No size is tried on which a job is expected to go slower than at 0.8 of its speed on what it asks.",
			"Only the number of GPUs is chosen; the thesis chooses cores, too.",
			"What is known of earlier runs is what jobs reported of their speed; how long runs took is not used, since a snapshot does not say which of them were of one kind.",
		},
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}

// demandMemory is over which time the cluster's demand is a mean, the latest counting most.
const demandMemory = 4 * time.Hour

// demand is how many GPUs jobs hold, or ask for where they could start, as a part of those there are. It is remembered.
type demand struct {
	At   time.Time `json:"at,omitzero"`
	Mean float64   `json:"mean"` // over demandMemory
	now  float64
}

// next returns the demand with what a round shows.
func (d demand) next(r *engine.Round) demand {
	gpus := 0.0
	for _, e := range r.Entries {
		if e.HoldsGPUs() || r.MayRun(e) {
			gpus += policy.GPUs{Count: e.DeviceCount(), PartPercent: e.Ask.GPUs.PartPercent}.WholeGPUs() * float64(e.TaskCount())
		}
	}
	now, weight := gpus/max(r.WholeGPUs(), 1), 1.0
	if !d.At.IsZero() {
		weight = 1 - math.Exp(-max(r.Now.Sub(d.At), 0).Hours()/demandMemory.Hours())
	}
	return demand{r.Now, d.Mean + weight*(now-d.Mean), now}
}

// level is how full the cluster is taken to be: as it is or as it was lately, whichever is more.
func (d demand) level() float64 { return max(d.now, d.Mean) }
