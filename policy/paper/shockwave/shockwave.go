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
	Round     time.Duration `param:"round" default:"10m" min:"1" help:"a lease"`
	Window    int           `param:"window" default:"20" min:"1" max:"64" help:"rounds planned at once"`
	Replan    int           `param:"replan" default:"8" min:"1" help:"rounds after which the plan is renewed though no job came or left"`
	K         float64       `param:"k" default:"1e-3" help:"what a second of the longest remaining time costs; the authors use 1e-3 on 32 and 128 GPUs, 10 on 64, 1e5 on 256"`
	Lambda    float64       `param:"lambda" default:"12" help:"power of the weight of jobs that would finish too late; the authors use 12 on 32 GPUs, 15 on 128, 5 on 64 and 256"`
	BySize    bool          `param:"by_size" help:"unless k or lambda are given, those of the authors for the nearest size of cluster"`
	RhoMax    float64       `param:"rho_max" default:"1" help:"how many times its fair time a job may take before it weighs more"`
	Cap       float64       `param:"cap" default:"1e3" min:"1" help:"the largest weight"`
	Sigmas    float64       `param:"sigmas" default:"0" help:"standard errors added to the time a job is predicted to need, when its fairness is judged"`
	Since     string        `param:"since" choices:"arrival,start" default:"arrival" help:"from when fairness counts time: each job's arrival, or the first plan of all, rounding predictions likewise as in the authors' simulator"`
	Predictor string        `param:"predictor" choices:"dirichlet,restatement" default:"dirichlet" help:"of batch sizes to come: drawn as those so far, or each in its turn for as long"`
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (k *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := policy.Recall[*window.Plan](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy shockwave: %w", err)
	}
	planner := &window.Planner{Settings: k.plannerSettings(s), LastPlan: last}
	plan, err := engine.Pipeline{
		Name:     "shockwave",
		Allocate: planner,
		Backfill: backfill.Greedy{},
		Rules:    k.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(planner.NextPlan)
	return plan, nil
}

// plannerSettings are those of the planner for the cluster of the snapshot.
func (k *Policy) plannerSettings(s *policy.Snapshot) *window.Settings {
	settings := &window.Settings{RoundLength: k.Round, RoundsPlanned: k.Window, ReplanAfterRounds: k.Replan, LongestRestCost: k.K, LatenessPower: k.Lambda, RhoMax: k.RhoMax,
		MaxWeight: k.Cap, AddedSigmas: k.Sigmas, CountFromFirstPlan: k.Since == "start", Predictor: predict.Regimes{TakesRegimesInOrder: k.Predictor == "restatement", RoundsLikeAuthors: k.Since == "start"}}
	if k.BySize {
		settings.LongestRestCost, settings.LatenessPower = authorsSettings(s)
	}
	return settings
}

// System describes Shockwave in the catalogue.
func System() paper.System {
	return disableBySizeIfGiven(paper.DescribeSystem(new(Policy), paper.System{
		Name: "shockwave", Title: "Shockwave: a market over the rounds to come", Venue: "NSDI", Year: 2023,
		Cite:         `P. Zheng et al., "Shockwave: Fair and Efficient Cluster Scheduling for Dynamic Adaptation in Machine Learning", NSDI 2023`,
		Idea:         "Plan a window of rounds for much progress of all, a short tail, and as few jobs as can be later than with an equal share, predicting changes of batch size.",
		OwnStages:    []string{"order", "lease", "backfill"},
		NeededInputs: []string{"epochs and batch sizes reported by the job", "seconds an epoch takes with each batch size"},
		Fallback:     "without epochs, the remaining time of the information ladder; where nothing is known, a window's length, and time received counts as progress",
		Reproduced:   "the published simulation with 120 jobs on 32 GPUs and its repetition with 220 on 64: makespan within 1.6 %, average completion time within 1.1 %, each job's within 5 % on average; on a trace that others drew, between and within 2 % of runs of the published simulator, which are 4.7 % apart; on drawn workloads makespan 1.27 and worst ρ 1.9 times better than Gavel's, a third of Themis's unfair jobs",
		Deviations: []string{
			"k and lambda are 1e-3 and 12 for clusters of every size, as the authors' for 32 GPUs; theirs for each size with by_size, which simulations in exact fidelity set.",
			"Weights are at most cap, 1e3; the authors' reach 1e30 and rest on their solver's tolerance.",
			"Plans are solved to the end; the authors' solver stops at a thousandth of the objective, or after 15 seconds, and which of many plans it then has differs from run to run.",
			"Batch sizes to come are predicted as the authors' code does it; the paper's restatement is predictor=restatement.",
			"Time counts from each job's arrival; the authors' simulator counts from its start, as since=start does.",
			"Several GPU types: a job is sent to one of them by a market first; the paper has one type.",
		},
		SimulatorParams: paper.Params{"round": "120s", "by_size": true, "since": "start", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving:  true,
	}))
}

// authorsSettings returns k and lambda with which the authors ran clusters of
// about as many GPUs.
func authorsSettings(s *policy.Snapshot) (k, lambda float64) {
	gpus := s.WholeGPUs()
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

// disableBySizeIfGiven returns the system with BySize off where k or lambda are given.
func disableBySizeIfGiven(system paper.System) paper.System {
	newPolicy := system.New
	system.New = func(given paper.Params) (policy.Policy, error) {
		p, err := newPolicy(given)
		_, k := given["k"]
		_, lambda := given["lambda"]
		if err == nil && (k || lambda) {
			p.(*Policy).BySize = false
		}
		return p, err
	}
	return system
}
