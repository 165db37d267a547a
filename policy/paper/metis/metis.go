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
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/scaling"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/gaussian"
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

// kernel says how far the logarithm of a speed is thought to be off Amdahl's law, by octaves of GPUs, and how noisy
// reports are.
var kernel = gaussian.Kernel{Length: 1, Sigma: .5, Noise: .05}

// serialParts are tried for Amdahl's law: the parts of a step that do not get faster with GPUs.
var serialParts = []float64{.01, .03, scaling.DefaultSerialPart, .1, .2, .4}

// search is what is known of how fast jobs of one kind go.
type search struct {
	process  *gaussian.Process
	serial   float64
	level    float64 // logarithm of the speed on one GPU
	measured []int   // sizes, ascending
	tried    []int   // those and the ones that are run on now
}

// newSearch takes in the speeds that were reported by size, and sizes on which jobs of the kind run now and of which
// nothing was reported yet: these count as tried, with what is expected of them. It is nil where nothing was reported.
func newSearch(points []policy.SpeedPoint, running []int) *search {
	s := fitSearch(points)
	if s == nil {
		return nil
	}
	var expected []policy.SpeedPoint
	for _, n := range running {
		if !slices.Contains(s.tried, n) {
			expected = append(expected, policy.SpeedPoint{Devices: n, StepsPerSecond: s.speed(n)})
		}
	}
	if len(expected) > 0 {
		measured := s.tried
		s = fitSearch(append(slices.Clone(points), expected...))
		s.measured = measured
	}
	return s
}

// fitSearch chooses the law by which the speeds are likeliest.
func fitSearch(points []policy.SpeedPoint) *search {
	var best *search
	for _, serial := range serialParts {
		s := &search{serial: serial}
		var xs, ys []float64
		for _, p := range points {
			if p.Devices > 0 && p.StepsPerSecond > 0 {
				xs, ys = append(xs, math.Log2(float64(p.Devices))), append(ys, math.Log(p.StepsPerSecond)-s.law(p.Devices))
				s.tried = append(s.tried, p.Devices)
			}
		}
		for _, y := range ys {
			s.level += y / float64(len(ys))
		}
		for i := range ys {
			ys[i] -= s.level
		}
		slices.Sort(s.tried)
		s.tried = slices.Compact(s.tried)
		s.measured = s.tried
		var err error
		if s.process, err = gaussian.Fit(kernel, xs, ys); err != nil || len(ys) == 0 {
			return nil
		}
		if best == nil || s.fit() > best.fit() {
			best = s
		}
	}
	return best
}

// fit is how well the law suits what was reported. Of one size all do, and the assumed part is taken.
func (s *search) fit() float64 {
	away := math.Log(s.serial / scaling.DefaultSerialPart)
	return s.process.LogLikelihood() - away*away/8
}

// law is the logarithm of the speed on so many GPUs over that on one, by Amdahl's law.
func (s *search) law(devices int) float64 {
	n := float64(devices)
	return math.Log(n / (1 + s.serial*(n-1)))
}

// logSpeed returns the logarithm of the speed on so many GPUs and its standard error.
func (s *search) logSpeed(devices int) (mean, sigma float64) {
	mean, sigma = s.process.At(math.Log2(float64(devices)))
	return mean + s.law(devices) + s.level, sigma
}

// speed is what is expected on so many GPUs.
func (s *search) speed(devices int) float64 {
	mean, _ := s.logSpeed(devices)
	return math.Exp(mean)
}

// choose returns the size of those that may be on which the next run is to be, and whether it is one to
// try: that which promises most while sizes may be tried and it promises enough, else the best that was measured; where none
// of them was, that which is expected to be.
func (p *Policy) choose(s *search, sizes []int) (devices int, isTry bool) {
	best, known := math.Inf(-1), false
	for _, n := range sizes {
		mean, _ := s.logSpeed(n)
		if isKnown := slices.Contains(s.measured, n); isKnown && !known || isKnown == known && mean > best {
			best, devices, known = mean, n, isKnown
		}
	}
	if len(s.tried) >= p.Tries || !known {
		return devices, false
	}
	hope := p.MinGain
	for _, n := range sizes {
		mean, sigma := s.logSpeed(n)
		if gain := gaussian.ExpectedImprovement(mean, sigma, best, margin); gain > hope && !slices.Contains(s.tried, n) {
			hope, devices, isTry = gain, n, true
		}
	}
	return devices, isTry
}

// margin is by how much a size must be better at all, in the logarithm of speed.
const margin = .01
