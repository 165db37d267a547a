package lp_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/lp"
)

func drawSplit(t *rapid.T) *lp.SplitProblem {
	m := rapid.IntRange(1, 4).Draw(t, "kinds")
	s := &lp.SplitProblem{}
	for range m {
		s.CapacityByKind = append(s.CapacityByKind, float64(rapid.IntRange(1, 12).Draw(t, "capacity")))
	}
	for range rapid.IntRange(1, 7).Draw(t, "items") {
		it := lp.PartyClass{
			Count: float64(rapid.IntRange(1, 5).Draw(t, "many")),
			Size:  float64(rapid.SampledFrom([]int{1, 1, 2, 4}).Draw(t, "size")),
		}
		for range m {
			it.RateByKind = append(it.RateByKind, float64(rapid.IntRange(0, 9).Draw(t, "rate")))
			it.GainByKind = append(it.GainByKind, float64(rapid.IntRange(-3, 9).Draw(t, "gain"))/4)
		}
		it.RateByKind[rapid.IntRange(0, m-1).Draw(t, "runs on")] = 3
		s.Classes = append(s.Classes, it)
	}
	return s
}

// dense writes the SplitProblem out as an LP whose last variable is the level: every
// item achieves base + level·ref.
func dense(s *lp.SplitProblem, base, ref []float64) lp.Problem {
	m := len(s.CapacityByKind)
	n := len(s.Classes)*m + 1
	p := lp.Problem{Objective: make([]float64, n)}
	add := func(bound float64) []float64 {
		row := make([]float64, n)
		p.Rows, p.Bounds = append(p.Rows, row), append(p.Bounds, bound)
		return row
	}
	for i, it := range s.Classes {
		time, speed := add(1), add(-base[i])
		for k := range m {
			time[i*m+k], speed[i*m+k] = 1, -it.RateByKind[k]
		}
		speed[n-1] = ref[i]
	}
	for k, c := range s.CapacityByKind {
		row := add(c)
		for i, it := range s.Classes {
			row[i*m+k] = it.Count * it.Size
		}
	}
	return p
}

func fits(t *rapid.T, s *lp.SplitProblem, x [][]float64, need []float64) {
	for i, it := range s.Classes {
		time, speed := 0.0, 0.0
		for k, v := range x[i] {
			if v < 0 {
				t.Fatalf("item %d: negative time %g", i, v)
			}
			time += v
			speed += it.RateByKind[k] * v
		}
		if time > 1+1e-9 || speed < need[i]-1e-7 {
			t.Fatalf("item %d: time %g, achieves %g, needs %g", i, time, speed, need[i])
		}
	}
	for k, c := range s.CapacityByKind {
		use := 0.0
		for i, it := range s.Classes {
			use += it.Count * it.Size * x[i][k]
		}
		if use > c*(1+1e-8) {
			t.Fatalf("kind %d: %g of %g used", k, use, c)
		}
	}
}

func TestLevelAgainstTheDenseLP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSplit(t)
		base, ref := make([]float64, len(s.Classes)), make([]float64, len(s.Classes))
		for i := range ref {
			ref[i] = float64(rapid.IntRange(1, 9).Draw(t, "ref"))
		}
		lp := dense(s, base, ref)
		lp.Objective[len(lp.Objective)-1] = 1
		want, err := oracle(lp)
		if err != nil {
			t.Skip("the oracle gave up: ", err)
		}
		level, c, err := s.MaximizeLevel(base, ref)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(level-want) > 1e-7*(1+want) {
			t.Fatalf("level %.12g, want %.12g", level, want)
		}
		for i := range ref {
			ref[i] *= level
		}
		fits(t, s, c.Fractions, ref)
	})
}

func TestBestAgainstTheDenseLP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSplit(t)
		none, need := make([]float64, len(s.Classes)), make([]float64, len(s.Classes))
		for i := range need {
			need[i] = float64(rapid.IntRange(0, 3).Draw(t, "need")) / 4
		}
		lp := dense(s, need, none)
		level := make([]float64, len(lp.Objective))
		level[len(level)-1] = 1 // the oracle wants no empty column
		lp.Rows, lp.Bounds = append(lp.Rows, level), append(lp.Bounds, 1)
		for i, it := range s.Classes {
			for k, g := range it.GainByKind {
				lp.Objective[i*len(s.CapacityByKind)+k] = it.Count * g
				if it.RateByKind[k] == 0 {
					lp.Objective[i*len(s.CapacityByKind)+k] = -1e3 // cannot run there
				}
			}
		}
		want, wantErr := oracle(lp)
		c, err := s.MaximizeGain(need)
		if wantErr != nil || err != nil {
			if (wantErr == nil) != (err == nil) {
				t.Fatalf("error %v, the oracle %v", err, wantErr)
			}
			return
		}
		got := 0.0
		for i, it := range s.Classes {
			for k, v := range c.Fractions[i] {
				got += it.Count * it.GainByKind[k] * v
			}
		}
		if math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
			t.Fatalf("brings %.12g, want %.12g", got, want)
		}
		fits(t, s, c.Fractions, need)
	})
}

// The examples of Gavel's objectives that can be solved on paper.
func TestLevelMicro(t *testing.T) {
	const g = 1.0
	cases := []struct {
		name     string
		capacity []float64
		rates    [][]float64
		ref      []float64
		level    float64
		x        [][]float64
	}{
		{"1 fast and 2 slow", []float64{1, 2}, [][]float64{{4, 1}, {2, 1}}, []float64{2, 4.0 / 3}, 7.0 / 6,
			[][]float64{{4.0 / 9, 5.0 / 9}, {5.0 / 9, 4.0 / 9}}},
		{"three of a kind each", []float64{1, 1, 1}, [][]float64{{4, 2, 1}, {3, 2, 1}, {2, 1.6, 1}},
			[]float64{7.0 / 3, 2, 4.6 / 3}, 57.0 / 55, nil},
		{"makespan", []float64{1, 1}, [][]float64{{4, 1}, {2, 1.5}}, []float64{12, 12}, 13.0 / 84,
			[][]float64{{2.0 / 7, 5.0 / 7}, {5.0 / 7, 2.0 / 7}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := &lp.SplitProblem{CapacityByKind: c.capacity}
			for _, r := range c.rates {
				s.Classes = append(s.Classes, lp.PartyClass{Count: 1, Size: g, RateByKind: r})
			}
			level, choice, err := s.MaximizeLevel(make([]float64, len(c.rates)), c.ref)
			if err != nil || math.Abs(level-c.level) > 1e-12 {
				t.Fatalf("level %.15g, want %.15g (error %v)", level, c.level, err)
			}
			for i, row := range c.x {
				for k, want := range row {
					if math.Abs(choice.Fractions[i][k]-want) > 1e-10 {
						t.Errorf("x[%d][%d] = %.12g, want %.12g", i, k, choice.Fractions[i][k], want)
					}
				}
			}
		})
	}
}

func BenchmarkLevel(b *testing.B) {
	// 10,000 jobs all different on 3 kinds of GPU, 4,096 in all.
	s := &lp.SplitProblem{CapacityByKind: []float64{1024, 1024, 2048}}
	ref := make([]float64, 10000)
	for i := range ref {
		f := float64(i)
		it := lp.PartyClass{Count: 1, Size: float64(int(1) << (i % 4)), RateByKind: []float64{1, 1.5 + math.Sin(f)/3, 3 + 2*math.Cos(1.7*f)}}
		s.Classes, ref[i] = append(s.Classes, it), (it.RateByKind[0]+it.RateByKind[1]+2*it.RateByKind[2])/4
	}
	for b.Loop() {
		if _, _, err := s.MaximizeLevel(make([]float64, len(ref)), ref); err != nil {
			b.Fatal(err)
		}
	}
}
