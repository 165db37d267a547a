package paired

import (
	"math"
	"strings"
	"testing"

	"fairbridge/replica/measure"
)

// run is four jobs of three accounts on 10 GPUs. Slow multiplies what they wait.
func run(seed int64, slow float64) *measure.Run {
	job := func(id int64, account string, gpus int, wait, ran float64) measure.JobOutcome {
		return measure.JobOutcome{
			ID: id, Account: account, GPUCount: gpus, Start: slow * wait, Finish: slow*wait + ran, ExclusiveRunSeconds: ran, HeldSeconds: ran, Service: ran * float64(gpus),
		}
	}
	r := &measure.Run{Seed: seed, ClusterGPUs: 10, HasOneSpeed: true, MakespanSeconds: 400, FillableIdleGPUSeconds: 200 * slow, ShareDeficit: .1 * slow, WriteCount: int(slow),
		Starts: measure.StartCounts{Planned: 2 * int(slow), NoRoom: 5 - int(slow), Unseen: 3 - int(slow), PastGang: 2},
		JobOutcomes: []measure.JobOutcome{
			job(1, "big", 8, 100, 100), job(2, "big", 8, 200, 100), job(3, "small", 1, 100, 50), job(4, "tiny", 2, 0, 5),
		}}
	r.JobOutcomes[0].StopCount, r.JobOutcomes[0].LostService = 2, 1800
	return r
}

// TestFiguresByHand works out every figure of one run, and its ratio to another that waits half
// as long.
func TestFiguresByHand(t *testing.T) {
	s := NewSet(8, map[int64]map[string]float64{1: {"big": 1, "small": 1}})
	s.AddTails()
	c := s.Compare("p", []*measure.Run{run(1, 2)}, []*measure.Run{run(2, 9), nil, run(1, 1)})
	if len(c.Pairs) != 1 || c.Pairs[0].Seed != 1 {
		t.Fatalf("paired are %+v", c.Pairs)
	}
	// Waits 200, 400, 200, 0 against 100, 200, 100, 0. Slowdowns 3, 5, 5, 1 against 2, 3, 3, 1.
	want := map[string][2]float64{
		"mean_wait_s": {200, 2}, "p95_wait_s": {370, 2}, "p99_wait_s": {394, 2}, "makespan_s": {400, 1},
		"longest_wait_s": {400, 2}, "p95_slowdown": {5, 5.0 / 3}, // of 3, 5, 5, 1 and of 2, 3, 3, 1
		"starts_planned": {0.5, 2}, "starts_unseen": {0.125, 0.5}, "starts_past_gang": {0.25, 1},
		"starts_no_room": {0.375, 0.75}, "starts_held_back": {0, 1}, "starts_in_order": {0, 1}, "starts_backfilled": {0, 1}, "starts_delaying": {0, 1},
		// Due is a third each, and of 1,660 GPU-seconds big used 1,600, small 50 and tiny 10.
		"slowdown_use_below_half": {3, 1.5}, "slowdown_use_half_to_1": {math.NaN(), math.NaN()},
		"slowdown_use_1_to_2": {math.NaN(), math.NaN()}, "slowdown_use_from_2": {4, 4.0 / 2.5},
		"mean_completion_s": {263.75, 263.75 / 163.75}, "mean_slowdown": {3.5, 3.5 / 2.25},
		"worst_account_slowdown":     {5, 5.0 / 3},   // small; big is 4 over 2.5
		"worst_below_share_slowdown": {5, 5.0 / 3},   // small had 50 and tiny 10 of 1,660 GPU-seconds
		"slowdown_gpus_1":            {5, 5.0 / 3},   // job 3
		"slowdown_gpus_2_to_4":       {1, 1},         // job 4
		"slowdown_gpus_5_to_8":       {4, 4.0 / 2.5}, // jobs 1 and 2
		"slowdown_gangs":             {3, 1.5},       // jobs 1, 2 and 4
		"slowdown_gpus_from_9":       {math.NaN(), math.NaN()},
		// On one machine as fast as 10 GPUs the jobs take 80, 80, 5 and 1: makespan 166, mean middles
		// 44, and half the mean run time is 31.875.
		"makespan_over_bound": {400.0/166 - 1, 1}, "avg_jct_over_bound": {263.75/75.875 - 1, (263.75/75.875 - 1) / (163.75/75.875 - 1)},
		"share_deficit":       {0.2, 2},
		"fillable_idle_share": {0.1, 2}, "stops": {2, 1}, "lost_gpu_hours": {0.5, 1}, "writes": {2, 2},
	}
	if len(want) != len(s.Figures) {
		t.Errorf("%d figures, %d are worked out", len(s.Figures), len(want))
	}
	for i, f := range s.Figures {
		w := want[f.Key]
		for k, got := range []float64{c.Pairs[0].Values[i], c.Pairs[0].Ratios[i]} {
			if same := math.Abs(got-w[k]) < 1e-9 || math.IsNaN(got) && math.IsNaN(w[k]); !same {
				t.Errorf("%s: %g, want %g", f.Key, got, w[k])
			}
		}
	}
}

// TestShareIsThatOfTheSeed: the same run on two seeds whose accounts weigh the other way round.
// Of 1,660 GPU-seconds big used 1,600.
func TestShareIsThatOfTheSeed(t *testing.T) {
	s := NewSet(8, map[int64]map[string]float64{1: {"big": 1000, "small": 1, "tiny": 1}, 2: {"big": 1, "small": 1000, "tiny": 1}})
	c := s.Compare("p", []*measure.Run{run(1, 2), run(2, 2)}, []*measure.Run{run(1, 1), run(2, 1)})
	for i, f := range s.Figures {
		if f.Key == "worst_below_share_slowdown" {
			if got, want := c.Pairs[0].Values[i], 4.0; got != want {
				t.Errorf("seed 1, where only big is below its share: %g, want %g", got, want)
			}
			if got, want := c.Pairs[1].Values[i], 5.0; got != want {
				t.Errorf("seed 2, where small is below its share: %g, want %g", got, want)
			}
		}
	}
}

// TestSpreads: of several seeds, the baseline beside itself is 1 everywhere, and seeds that only
// one of both has do not count.
func TestSpreads(t *testing.T) {
	s := NewSet(8, nil)
	base := []*measure.Run{run(1, 1), run(2, 1), run(3, 2), run(4, 1)}
	own := s.Compare("base", base, base)
	c := s.Compare("p", []*measure.Run{run(1, 0.5), run(2, 3), run(3, 2), run(9, 1)}, base)
	for i, f := range s.Figures {
		if f.IsRatio && own.Spreads[i].SeedCount > 0 && (own.Spreads[i].Least != 1 || own.Spreads[i].Greatest != 1 || own.Spreads[i].WorseCount != 0) {
			t.Errorf("%s of the baseline is %+v", f.Key, own.Spreads[i])
		}
		if f.Key == "mean_wait_s" {
			want := Spread{Median: 1, Least: 0.5, Greatest: 3, SeedCount: 3, BetterCount: 1, WorseCount: 1}
			if c.Spreads[i] != want {
				t.Errorf("mean waits are %+v, want %+v", c.Spreads[i], want)
			}
			if got := f.FormatSpread(c.Spreads[i]); got != "1.00 .50–3.00 1:1" {
				t.Errorf("printed: %s", got)
			}
			if got := f.FormatValues(s.ValueSpreads(&own)[i]); got != "100.0 100.0–200.0" {
				t.Errorf("the baseline is printed %s", got)
			}
		}
	}
}

func TestLosersAreNamed(t *testing.T) {
	s := NewSet(8, nil)
	base := []*measure.Run{run(1, 1), run(2, 1), run(3, 1)}
	c := s.Compare("p", []*measure.Run{run(1, 2), run(2, 2), run(3, 0.5)}, base)
	if got, want := s.DescribeLosers(&c), "seeds 1 1.61, 2 1.61; jobs of 1 GPU 1.67, 5–8 GPUs 1.60; accounts small 1.67, big 1.60"; got != want {
		t.Errorf("losers: %s\nwant:   %s", got, want)
	}
	if same := s.Compare("base", base, base); s.DescribeLosers(&same) != "" {
		t.Errorf("beside itself %s", s.DescribeLosers(&same))
	}
}

func TestSizesFollowTheNode(t *testing.T) {
	for gpus, want := range map[int]string{
		1: "1 GPU, ≥ 2 GPUs", 2: "1 GPU, 2 GPUs, ≥ 3 GPUs", 4: "1 GPU, 2 GPUs, 3–4 GPUs, ≥ 5 GPUs", 8: "1 GPU, 2–4 GPUs, 5–8 GPUs, ≥ 9 GPUs",
	} {
		var titles []string
		for _, r := range sizeRanges(gpus) {
			titles = append(titles, r.title())
		}
		if got := strings.Join(titles, ", "); got != want {
			t.Errorf("nodes of %d: %s, want %s", gpus, got, want)
		}
	}
}

func TestFormatRatio(t *testing.T) {
	for v, want := range map[float64]string{0: ".00", 0.984: ".98", 1: "1.00", 12.34: "12.3", 123.4: "123", math.Inf(1): "–"} {
		if got := FormatRatio(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}
