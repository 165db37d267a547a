// Package shockwave plans a window of rounds at once: who gets how many of them makes
// the weighted product of the jobs' progress large and the longest rest short,
// and jobs that would finish later than with an equal share weigh more.
//
// P. Zheng, R. Pan, T. Khan, S. Venkataraman, A. Akella, "Shockwave: Fair and
// Efficient Cluster Scheduling for Dynamic Adaptation in Machine Learning",
// NSDI 2023.
package shockwave

import (
	"fmt"
	"math"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/window"
)

// Policy is Shockwave with its parameters.
type Policy struct {
	window.Settings
	// BySize takes k and lambda from the authors' settings for the cluster of the
	// nearest size.
	BySize   bool
	MinRun   time.Duration
	MaxStops int
	MaxWait  time.Duration
}

// Decide implements policy.Policy.
func (k *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := policy.Recall[*window.Plan](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy shockwave: %w", err)
	}
	settings := k.Settings
	if k.BySize {
		settings.Tail, settings.Power = authorsSettings(s)
	}
	planner := &window.Planner{Settings: &settings, Last: last}
	plan, err := engine.Pipeline{
		Name:     "shockwave",
		Allocate: planner,
		Backfill: backfill.Greedy{},
		Rules:    paper.PatientRules(k.MinRun, k.MaxStops, k.MaxWait),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(planner.Next)
	return plan, nil
}

// System describes Shockwave in the catalogue.
func System() paper.System {
	params := []paper.Param{
		{Name: "round", Kind: paper.Duration, Default: "10m", Min: 1, Help: "a lease"},
		{Name: "window", Kind: paper.Integer, Default: 20, Min: 1, Max: 64, Help: "rounds planned at once"},
		{Name: "replan", Kind: paper.Integer, Default: 8, Min: 1, Help: "rounds after which the plan is renewed though nobody came or left"},
		{Name: "k", Kind: paper.Number, Default: 1e-3, Help: "what a second of the longest remaining time costs; the authors use 1e-3 on 32 and 128 GPUs, 10 on 64, 1e5 on 256"},
		{Name: "lambda", Kind: paper.Number, Default: 12, Help: "power of the weight of jobs that would finish too late; the authors use 12 on 32 GPUs, 15 on 128, 5 on 64 and 256"},
		{Name: "by_size", Kind: paper.Bool, Default: false, Help: "unless k or lambda are given, those of the authors for the nearest size of cluster"},
		{Name: "rho_max", Kind: paper.Number, Default: 1, Help: "how many times its fair time a job may take before it weighs more"},
		{Name: "cap", Kind: paper.Number, Default: 1e3, Min: 1, Help: "the largest weight"},
		{Name: "sigmas", Kind: paper.Number, Default: 0, Help: "standard errors added to the time a job is predicted to need, when its fairness is judged"},
		{Name: "since", Kind: paper.Choice, Default: "arrival", Choices: []string{"arrival", "start"}, Help: "from when fairness counts time: each job's arrival, or the first plan of all as in the authors' simulator"},
		{Name: "predictor", Kind: paper.Choice, Default: "dirichlet", Choices: []string{"dirichlet", "restatement"}, Help: "of batch sizes to come: drawn as those so far, or each in its turn for as long"},
		paper.MinRunParam, paper.MaxStopsParam, paper.PatientWaitParam,
	}
	return paper.System{
		Name: "shockwave", Title: "Shockwave: a market over the rounds to come", Venue: "NSDI", Year: 2023,
		Cite:           `P. Zheng et al., "Shockwave: Fair and Efficient Cluster Scheduling for Dynamic Adaptation in Machine Learning", NSDI 2023`,
		Idea:           "Plan a window of rounds for much progress of all, a short tail and nobody later than with an equal share, predicting changes of batch size.",
		Stages:         []string{"order", "lease", "backfill"},
		Needs:          []string{"epochs and batch sizes reported by the job", "seconds an epoch takes with each batch size"},
		Fallback:       "without epochs, the remaining time of the information ladder; where nothing is known, a window's length, and time received counts as progress",
		Reproduced:     "the published simulation with 120 jobs on 32 GPUs and its repetition with 220 on 64: makespan and average completion time within 1 %, each job's within 4 % on average; on drawn workloads makespan 1.28 and worst ρ 2.2 times better than Gavel's, a third of Themis's unfair jobs",
		Params:         params,
		Exact:          paper.Params{"round": "120s", "by_size": true, "since": "start", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving: true,
		New: func(given paper.Params) (policy.Policy, error) {
			_, k := given["k"]
			_, lambda := given["lambda"]
			return paper.Construct(params, func(v paper.Values) policy.Policy { return newShockwave(v, !k && !lambda) })(given)
		},
	}
}

// authorsSettings returns k and lambda with which the authors ran clusters of
// about as many GPUs.
func authorsSettings(s *policy.Snapshot) (k, lambda float64) {
	gpus := s.Whole()
	switch { // between two of their sizes, by ratio
	case gpus < 32*math.Sqrt2:
		return 1e-3, 12
	case gpus < 64*math.Sqrt2:
		return 10, 5
	case gpus < 128*math.Sqrt2:
		return 1e-3, 15
	}
	return 1e5, 5
}

func newShockwave(v paper.Values, free bool) policy.Policy {
	return &Policy{
		Settings: window.Settings{
			Round: v.Duration("round"), Window: v.Integer("window"), Replan: v.Integer("replan"),
			Tail: v.Number("k"), Power: v.Number("lambda"), RhoMax: v.Number("rho_max"), Cap: v.Number("cap"),
			Sigmas: v.Number("sigmas"), FromStart: v.Text("since") == "start",
			Predict: predict.Regimes{Restate: v.Text("predictor") == "restatement"},
		},
		BySize: free && v.Flag("by_size"),
		MinRun: v.Duration("min_run"), MaxStops: v.Integer("max_stops"), MaxWait: v.Duration("max_wait"),
	}
}
