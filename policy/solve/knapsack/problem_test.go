package knapsack_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/policy/solve/knapsack"
)

var pieces = knapsack.PiecewiseLog(1e-6, 0.2, 0.4, 0.6, 0.8)

func logOf(x float64) float64 { return math.Log(max(x, 1e-6)) }

func TestWindowCounts(t *testing.T) {
	fresh := func(weight float64) knapsack.Item {
		return knapsack.Item{DevicesPerRound: 1, Weight: weight, GainPerRound: 1e-3, MaxRounds: 4}
	}
	level := func(left float64) knapsack.Item {
		return knapsack.Item{DevicesPerRound: 1, Weight: 1, DoneShare: 0.5, GainPerRound: 1e-3, SecondsLeft: left, SecondsCutPerRound: 1, MaxRounds: 9}
	}
	for name, c := range map[string]struct {
		w    knapsack.Problem
		want []int
	}{
		"two alike":     {knapsack.Problem{Rounds: 4, Capacity: 1, Utility: logOf, Items: []knapsack.Item{fresh(1), fresh(1)}}, []int{2, 2}},
		"weights 3 : 1": {knapsack.Problem{Rounds: 4, Capacity: 1, Utility: logOf, Items: []knapsack.Item{fresh(3), fresh(1)}}, []int{3, 1}},
		"who had less gets more": {knapsack.Problem{Rounds: 10, Capacity: 1, Utility: math.Log, Items: []knapsack.Item{
			{DevicesPerRound: 1, Weight: 1, DoneShare: 1e-9, GainPerRound: .01, MaxRounds: 10}, {DevicesPerRound: 1, Weight: 1, DoneShare: .04, GainPerRound: .01, MaxRounds: 10}}}, []int{7, 3}},
		"nothing to win": {knapsack.Problem{Rounds: 4, Capacity: 2, Utility: logOf,
			Items: []knapsack.Item{{DevicesPerRound: 1, Weight: 1, DoneShare: 1, GainPerRound: 0.1, MaxRounds: 4}, fresh(1)}}, []int{0, 4}},
		"promised": {knapsack.Problem{Rounds: 4, Capacity: 1, Utility: logOf,
			Items: []knapsack.Item{fresh(100), {DevicesPerRound: 1, Weight: 1, GainPerRound: 1e-3, MinRounds: 3, MaxRounds: 4}}}, []int{1, 3}},
		"too wide": {knapsack.Problem{Rounds: 4, Capacity: 1, Utility: logOf,
			Items: []knapsack.Item{{DevicesPerRound: 2, Weight: 9, GainPerRound: 1e-3, MaxRounds: 4}, fresh(1)}}, []int{0, 4}},
		"the tail is levelled": {knapsack.Problem{Rounds: 6, Capacity: 2, Utility: logOf, LongestRestCost: 10,
			Items: []knapsack.Item{level(9), level(7), level(5), level(1)}}, []int{6, 4, 2, 0}},
		"no tail": {knapsack.Problem{Rounds: 6, Capacity: 2, Utility: logOf,
			Items: []knapsack.Item{level(9), level(7), level(5), level(1)}}, []int{3, 3, 3, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			got, short := c.w.CountRounds()
			if d := cmp.Diff(c.want, got); d != "" || short != 0 {
				t.Errorf("short %d, rounds (-want +got):\n%s", short, d)
			}
		})
	}
}

func TestWindowScarce(t *testing.T) {
	w := knapsack.Problem{Rounds: 2, Capacity: 2, Utility: logOf, Items: []knapsack.Item{
		{DevicesPerRound: 2, Weight: 1, GainPerRound: 0.1, MinRounds: 1, MaxRounds: 2}, {DevicesPerRound: 2, Weight: 1, GainPerRound: 0.1, MinRounds: 2, MaxRounds: 2}}}
	got, short := w.CountRounds()
	if d := cmp.Diff([]int{1, 1}, got); d != "" || short != 2 {
		t.Errorf("short %d, want 2; rounds (-want +got):\n%s", short, d)
	}
}

// drawWindow draws a window small enough to try everything. No gang is wider than
// a quarter of the cluster: with half of it one in thousands of windows is
// worse than nearly optimal, because its gangs have to be arranged otherwise.
func drawWindow(t *rapid.T) knapsack.Problem {
	w := knapsack.Problem{Rounds: rapid.IntRange(1, 4).Draw(t, "rounds"), Capacity: rapid.SampledFrom([]int{1, 2, 4, 8, 12, 16}).Draw(t, "size"),
		LongestRestCost: rapid.SampledFrom([]float64{0, 1e-3, 0.1, 10}).Draw(t, "tail"),
		Utility:         rapid.SampledFrom([]func(float64) float64{pieces, logOf}).Draw(t, "utility")}
	for range rapid.IntRange(1, 8).Draw(t, "jobs") {
		w.Items = append(w.Items, knapsack.Item{
			DevicesPerRound: min(rapid.SampledFrom([]int{1, 1, 1, 2, 2, 4}).Draw(t, "gang"), max(w.Capacity/4, 1)), Weight: rapid.SampledFrom([]float64{1, 1, 2, 50, 1000}).Draw(t, "weight"),
			DoneShare: rapid.Float64Range(0, 0.95).Draw(t, "done"), GainPerRound: rapid.Float64Range(1e-4, 0.3).Draw(t, "gain"),
			SecondsLeft: rapid.Float64Range(0, 3000).Draw(t, "left"), SecondsCutPerRound: 120, MaxRounds: rapid.IntRange(0, 5).Draw(t, "most"),
		})
	}
	return w
}

// best tries every number of rounds that can be arranged, from each state of
// the rounds' free devices.
func best(w *knapsack.Problem) float64 {
	value, y := math.Inf(-1), make([]int, len(w.Items))
	free := make([]int, w.Rounds)
	for t := range free {
		free[t] = w.Capacity
	}
	type state struct {
		free [4]int
		y    [8]int
	}
	seen := map[state]bool{}
	var try func(i int)
	try = func(i int) {
		if i == len(y) {
			value = max(value, w.Value(y))
			return
		}
		var s state // rounds are alike: their order does not matter
		copy(s.free[:], free)
		slices.Sort(s.free[:])
		copy(s.y[:i], y)
		if seen[s] {
			return
		}
		seen[s] = true
		for in := range 1 << w.Rounds {
			if bits.OnesCount(uint(in)) > w.Items[i].MaxRounds || !take(free, in, w.Items[i].DevicesPerRound) {
				continue
			}
			y[i] = bits.OnesCount(uint(in))
			try(i + 1)
			take(free, in, -w.Items[i].DevicesPerRound)
		}
	}
	try(0)
	return value
}

// take takes the devices in every round of the set, or none.
func take(free []int, in, size int) bool {
	for t := range free {
		if in&(1<<t) != 0 && free[t] < size {
			return false
		}
	}
	for t := range free {
		if in&(1<<t) != 0 {
			free[t] -= size
		}
	}
	return true
}

func TestWindowNearlyOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWindow(t)
		y := make([]int, len(w.Items))
		for i, in := range w.PlanRounds() {
			y[i] = bits.OnesCount64(in)
		}
		got, want := w.Value(y), best(&w)
		if nothing := w.Value(make([]int, len(y))); got < want-0.01*max(math.Abs(want), want-nothing) {
			t.Fatalf("rounds %v are worth %v, the best %v, none %v", y, got, want, nothing)
		}
	})
}

func TestArrange(t *testing.T) {
	for name, c := range map[string]struct {
		gangs  []knapsack.Gang
		rounds int
		size   int
		want   []uint64
	}{
		"the weightier first": {[]knapsack.Gang{{1, 1, 1}, {1, 1, 5}}, 2, 1, []uint64{0b10, 0b01}},
		"short ones first":    {[]knapsack.Gang{{1, 3, 1}, {1, 1, 1}}, 4, 1, []uint64{0b1110, 0b0001}},
		"side by side":        {[]knapsack.Gang{{2, 2, 1}, {1, 2, 9}, {1, 2, 9}}, 4, 2, []uint64{0b1100, 0b0011, 0b0011}},
		"one in every round, though it is cheap": {
			[]knapsack.Gang{{2, 3, 1}, {1, 1, 9}, {1, 1, 5}, {1, 1, 1}}, 3, 3, []uint64{0b111, 0b001, 0b010, 0b100}},
		"too wide": {[]knapsack.Gang{{3, 1, 9}, {1, 1, 1}}, 1, 2, []uint64{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, knapsack.ArrangeGangs(c.gangs, c.rounds, c.size)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestArrangeFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rounds, size := rapid.IntRange(1, 20).Draw(t, "rounds"), rapid.SampledFrom([]int{8, 16, 32}).Draw(t, "size")
		var gangs []knapsack.Gang
		free := make([]int, rounds)
		for t := range free {
			free[t] = size
		}
		for range rapid.IntRange(1, 60).Draw(t, "gangs") {
			g := knapsack.Gang{Size: 1 << rapid.IntRange(0, 2).Draw(t, "gang"), Weight: rapid.Float64Range(1, 1000).Draw(t, "weight")}
			in := rapid.IntRange(0, 1<<rounds-1).Draw(t, "in")
			for r := range rounds {
				if in&(1<<r) != 0 && take(free, 1<<r, g.Size) {
					g.Rounds++
				}
			}
			gangs = append(gangs, g)
		}
		used, lost := make([]int, rounds), 0
		for i, in := range knapsack.ArrangeGangs(gangs, rounds, size) {
			n := 0
			for r := range rounds {
				if in&(1<<r) != 0 {
					used[r] += gangs[i].Size
					n++
				}
			}
			if n > gangs[i].Rounds || in>>rounds != 0 {
				t.Fatalf("gang %d of %d rounds has %b", i, gangs[i].Rounds, in)
			}
			lost += (gangs[i].Rounds - n) * gangs[i].Size
		}
		for r, n := range used {
			if n > size {
				t.Fatalf("round %d holds %d of %d", r, n, size)
			}
		}
		if lost*20 > rounds*size {
			t.Fatalf("%d of %d device rounds lost: %+v", lost, rounds*size, gangs)
		}
	})
}

func TestLogPieces(t *testing.T) {
	for _, x := range []float64{1e-9, 0.1, 0.2, 0.3, 0.4, 0.79, 0.8, 0.99, 1} {
		if got := pieces(x); got > logOf(x)+1e-12 && x > 1e-6 {
			t.Errorf("%v: %v above the logarithm %v", x, got, logOf(x))
		}
	}
	for _, x := range []float64{0.2, 0.4, 0.6, 0.8, 1} {
		if got := pieces(x); math.Abs(got-math.Log(x)) > 1e-12 {
			t.Errorf("%v: %v, want %v", x, got, math.Log(x))
		}
	}
}

func BenchmarkWindow(b *testing.B) {
	for _, c := range []struct{ jobs, gpus int }{{120, 32}, {900, 256}, {10000, 4096}} {
		b.Run(fmt.Sprint(c.jobs), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			w := knapsack.Problem{Rounds: 20, Capacity: c.gpus, LongestRestCost: 1e-3 * 20 * float64(c.jobs), Utility: pieces}
			for range c.jobs {
				length := math.Exp(5 + 4*r.Float64())
				done := r.Float64()
				s := knapsack.Item{DevicesPerRound: 1 << r.IntN(4), Weight: 1 + 999*math.Floor(2*r.Float64()), DoneShare: done, GainPerRound: 120 / length, SecondsLeft: (1 - done) * length, SecondsCutPerRound: 120}
				s.MaxRounds = int(math.Ceil(s.SecondsLeft / s.SecondsCutPerRound))
				w.Items = append(w.Items, s)
			}
			for b.Loop() {
				w.PlanRounds()
			}
		})
	}
}
