package fluid

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"fairbridge/policy/paper"
	"fairbridge/policy/paper/pcs"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// Settings are parameters of policy pcs and what came of them on workloads.
type Settings struct {
	Params paper.Params `json:"params"`
	// JCTOverSRSF is the mean completion time over that of SRSF; errors are parts of the
	// predicted completion time. Each is the median over the workloads.
	JCTOverSRSF float64 `json:"jct_over_srsf"`
	MeanError   float64 `json:"mean_error"`
	P99Error    float64 `json:"p99_error"`
}

// SearchGrid is what a Search tries: every list of loads with every list of shares of the
// same length, each with every clip.
type SearchGrid struct {
	Loads, Shares [][]float64
	Clips         []float64
}

// DefaultGrid has two and three queues, and clips where curves flatten.
func DefaultGrid() SearchGrid {
	return SearchGrid{
		Loads:  [][]float64{{.02}, {.04}, {.05}, {.06}, {.07}, {.08}, {.09}, {.1}, {.15}, {.2}, {.3}, {.4}, {.5}, {.02, .1}, {.05, .25}, {.1, .4}, {.2, .5}},
		Shares: [][]float64{{.4}, {.5}, {.6}, {.7}, {.8}, {.9}, {.5, .8}, {.6, .9}, {.7, .9}, {.8, .95}},
		Clips:  []float64{.5},
	}
}

// Search is a search of settings of policy pcs.
type Search struct {
	GPUs      int
	Workloads [][]workload.Job
	Grid      SearchGrid
	Parallel  int // simulations at a time; 0: one
	// ReportProgress is told how many of the settings were tried; nil: none is told.
	ReportProgress func(done, of int)
}

// Run tries all of the grid on each workload, those that PCS' paper calls predictable or fast
// being points of one front, and returns them by JCTOverSRSF. Errors are those of simulations,
// with the number of the workload from 1, or that the context ended.
func (s *Search) Run(ctx context.Context) ([]Settings, error) {
	shortest := make([]float64, len(s.Workloads))
	for i, jobs := range s.Workloads {
		run, err := Run(Config{GPUs: s.GPUs, Jobs: jobs, Rule: SRSF()})
		if err != nil {
			return nil, fmt.Errorf("workload %d under SRSF: %w", i+1, err)
		}
		shortest[i] = run.Summarize().AvgJCT
	}
	tried, err := s.tryAll(ctx, s.Grid.list(), shortest)
	slices.SortStableFunc(tried, func(a, b Settings) int { return cmp.Compare(a.JCTOverSRSF, b.JCTOverSRSF) })
	return tried, err
}

// list lists all settings of the grid.
func (g SearchGrid) list() (all []paper.Params) {
	for _, load := range g.Loads {
		for _, shares := range g.Shares {
			if len(load) != len(shares) {
				continue
			}
			for _, clip := range g.Clips {
				all = append(all, paper.Params{"load": load, "shares": shares, "clip": clip})
			}
		}
	}
	return all
}

// tryAll tries settings, several at a time; the answers are in their order.
func (s *Search) tryAll(ctx context.Context, all []paper.Params, shortest []float64) ([]Settings, error) {
	tried, errs := make([]Settings, len(all)), make([]error, len(all))
	next, done := make(chan int), make(chan int, len(all))
	for range max(s.Parallel, 1) {
		go func() {
			for i := range next {
				if errs[i] = ctx.Err(); errs[i] == nil {
					tried[i], errs[i] = s.try(shortest, all[i])
				}
				done <- i
			}
		}()
	}
	go func() {
		for i := range all {
			next <- i
		}
		close(next)
	}()
	for k := range all {
		<-done
		if s.ReportProgress != nil {
			s.ReportProgress(k+1, len(all))
		}
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return tried, nil
}

// try runs policy pcs with parameters on each workload.
func (s *Search) try(shortest []float64, params paper.Params) (Settings, error) {
	var jct, mean, p99 []float64
	for i, jobs := range s.Workloads {
		p, err := pcs.System().New(params)
		if err != nil {
			return Settings{}, err
		}
		rule, err := RuleOf(p)
		if err != nil {
			return Settings{}, err
		}
		run, err := Run(Config{GPUs: s.GPUs, Jobs: jobs, Rule: rule})
		if err != nil {
			return Settings{}, fmt.Errorf("workload %d with %v: %w", i+1, params, err)
		}
		figures := run.Summarize()
		jct, mean, p99 = append(jct, figures.AvgJCT/shortest[i]), append(mean, figures.MeanPredictionError), append(p99, figures.P99PredictionError)
	}
	return Settings{params, measure.Median(jct), measure.Median(mean), measure.Median(p99)}, nil
}

// Front leaves the settings that no other beats both in completion time and in the mean error of
// predictions, by JCTOverSRSF.
func Front(tried []Settings) []Settings {
	var front []Settings
	for _, s := range tried {
		if n := len(front); n == 0 || s.MeanError < front[n-1].MeanError {
			front = append(front, s)
		}
	}
	return front
}

// MostPredictable chooses among settings that were tried on several kinds of workload, in one
// list for each: of those whose completion time is on every kind at most so many times SRSF's,
// that whose 99 % error is least on the kind where it is greatest. ok is false where there are
// none.
func MostPredictable(kinds [][]Settings, mostJCT float64) (best paper.Params, ok bool) {
	least := 0.0
	for i := range kinds[0] {
		params, worst, fits := kinds[0][i].Params, 0.0, true
		for _, tried := range kinds {
			at := slices.IndexFunc(tried, func(s Settings) bool { return reflect.DeepEqual(s.Params, params) })
			fits = fits && at >= 0 && tried[at].JCTOverSRSF <= mostJCT
			worst = max(worst, tried[max(at, 0)].P99Error)
		}
		if fits && (!ok || worst < least) {
			best, least, ok = params, worst, true
		}
	}
	return best, ok
}
