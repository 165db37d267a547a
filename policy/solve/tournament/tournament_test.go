package tournament_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/policy/solve/tournament"
)

// of is a contestant that takes units one by one, by its speeds on them.
func of(work float64, speeds ...float64) tournament.Contestant {
	return tournament.Contestant{
		Next: func(n int) int {
			if n+1 < len(speeds) {
				return n + 1
			}
			return 0
		},
		Pace: func(n int) float64 { return speeds[n] / work },
	}
}

// block is one that takes all or nothing.
func block(work float64, size int) tournament.Contestant {
	return tournament.Contestant{
		Next: func(n int) int {
			if n == 0 {
				return size
			}
			return 0
		},
		Pace: func(n int) float64 { return float64(n) / work },
	}
}

// scaled gets nearly as much out of each GPU, flat hardly anything out of the second.
var (
	scaled = []float64{0, 1, 1.9, 2.7, 3.4}
	flat   = []float64{0, 1, 1.2, 1.3, 1.35}
	linear = []float64{0, 1, 2, 3, 4}
)

func TestDivide(t *testing.T) {
	for name, c := range map[string]struct {
		all   []tournament.Contestant
		units int
		want  []int
	}{
		"alike":                     {[]tournament.Contestant{of(10, scaled...), of(20, scaled...)}, 4, []int{2, 2}},
		"the shorter is flat":       {[]tournament.Contestant{of(10, flat...), of(20, scaled...)}, 4, []int{1, 3}},
		"the longer is flat":        {[]tournament.Contestant{of(10, scaled...), of(20, flat...)}, 4, []int{3, 1}},
		"in proportion":             {[]tournament.Contestant{of(8, linear...), of(16, linear...)}, 4, []int{3, 1}},
		"more than all can use":     {[]tournament.Contestant{of(20, linear...), of(10, flat...)}, 20, []int{4, 4}},
		"a block that does not fit": {[]tournament.Contestant{block(1, 5), of(10, flat...)}, 4, []int{0, 4}},
		"a short block":             {[]tournament.Contestant{of(90, linear...), block(1, 3)}, 4, []int{1, 3}},
		"equals, the earlier":       {[]tournament.Contestant{of(10, linear...), of(10, linear...)}, 1, []int{1, 0}},
		"none":                      {nil, 4, []int{}},
		"no units":                  {[]tournament.Contestant{of(10, linear...)}, 0, []int{0}},
	} {
		if got := tournament.Divide(c.units, c.all, tournament.ToShorter); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	equals := []tournament.Contestant{of(10, linear...), of(10, linear...)}
	if got := tournament.Divide(1, equals, tournament.ToLonger); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("equals, the later: %v", got)
	}
}

// divideByScan plays every match for every unit, as the rule is written.
func divideByScan(left int, all []tournament.Contestant) []int {
	has := make([]int, len(all))
	for {
		best := -1
		for i := range all {
			if next := all[i].Next(has[i]); next == 0 || next-has[i] > left {
				continue
			}
			if best < 0 || scanBeats(all, has, i, best) {
				best = i
			}
		}
		if best < 0 {
			return has
		}
		next := all[best].Next(has[best])
		left -= next - has[best]
		has[best] = next
	}
}

func scanBeats(all []tournament.Contestant, has []int, later, earlier int) bool {
	now := func(i int) float64 {
		if has[i] == 0 {
			return 0
		}
		return all[i].Pace(has[i])
	}
	then := func(i int) float64 { return all[i].Pace(all[i].Next(has[i])) }
	gain := func(i int) float64 { return (then(i) - now(i)) / float64(all[i].Next(has[i])-has[i]) }
	if now(later) == 0 && now(earlier) == 0 {
		return gain(later) > gain(earlier)
	}
	if now(later) > now(earlier) {
		return gain(later)/now(later) >= gain(earlier)/then(earlier)
	}
	return gain(later)/then(later) > gain(earlier)/now(earlier)
}

// draw is a contestant of any kind.
func draw(r *rand.Rand) tournament.Contestant {
	work := float64(1 + r.IntN(100))
	if r.IntN(4) == 0 {
		return block(work, 1+r.IntN(8))
	}
	speeds, serial := []float64{0}, []float64{0, .05, .3}[r.IntN(3)]
	for k := 1; k <= 1+r.IntN(12); k++ {
		speeds = append(speeds, float64(k)/(1+serial*float64(k-1)))
	}
	return of(work, speeds...)
}

// TestSameAsEveryMatch: leaving out matches whose players did not change changes nothing.
func TestSameAsEveryMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		all, units := make([]tournament.Contestant, r.IntN(12)), r.IntN(40)
		for i := range all {
			all[i] = draw(r)
		}
		got, want := tournament.Divide(units, all, tournament.ToShorter), divideByScan(units, all)
		if !slices.Equal(got, want) {
			t.Fatalf("%d units: %v, by every match %v", units, got, want)
		}
	}
}

// TestEveryoneBeforeAnySecond: where two units are not twice as good as one, no contestant gets
// a second before all have one, and no unit is left that one could use.
func TestEveryoneBeforeAnySecond(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		all, units, most := make([]tournament.Contestant, 1+r.IntN(10)), r.IntN(40), 0
		for i := range all {
			all[i] = of(float64(1+r.IntN(100)), [][]float64{scaled, flat}[r.IntN(2)]...)
			most += 4
		}
		got, sum := tournament.Divide(units, all, tournament.ToShorter), 0
		for _, n := range got {
			sum += n
		}
		if sum != min(units, most) || units >= len(all) && slices.Min(got) == 0 {
			t.Fatalf("%d units among %d: %v", units, len(all), got)
		}
	}
}

// BenchmarkDivide divides 1,024 GPUs among 1,000 jobs.
func BenchmarkDivide(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	all := make([]tournament.Contestant, 1000)
	for i := range all {
		work, serial := float64(1+r.IntN(100000)), .02+.1*r.Float64()
		all[i] = tournament.Contestant{
			Next: func(n int) int { return (n + 1) % 65 },
			Pace: func(n int) float64 { return float64(n) / (1 + serial*float64(n-1)) / work },
		}
	}
	for b.Loop() {
		tournament.Divide(1024, all, tournament.ToShorter)
	}
}
