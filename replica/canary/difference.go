package canary

import (
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/replica/shadow"
)

// Difference is how the days of the candidate and those of the incumbent of the same weeks differ in
// one figure. Ratios are to what Slurm alone would have done; below 1 is better.
type Difference struct {
	CandidateDays int     `json:"candidate_days"` // that have the figure, in weeks in which days of both have
	IncumbentDays int     `json:"incumbent_days"`
	Candidate     float64 `json:"candidate_over_slurm_alone"` // geometric mean over the days
	Incumbent     float64 `json:"incumbent_over_slurm_alone"`
	Change        float64 `json:"change"` // the candidate's over the incumbent's, within weeks
	Least         float64 `json:"least"`  // the band of the change
	Greatest      float64 `json:"greatest"`
	// P is the part of all ways to draw the days of each week in which the change would have been at
	// least as large, either way.
	P float64 `json:"p"`
}

// dayValue is the logarithm of a figure on a day.
type dayValue struct {
	log         float64
	isCandidate bool
}

// stratum is the values of one week.
type stratum struct {
	logs       []float64
	candidates []int // which of them are the candidate's
}

// weight is how much a week counts: as its days say about a difference.
func (s *stratum) weight() float64 {
	c, n := float64(len(s.candidates)), float64(len(s.logs))
	return c * (n - c) / n
}

// difference is the mean of the chosen less the mean of the others.
func (s *stratum) difference(chosen []int) float64 {
	all, mine := 0.0, 0.0
	for _, v := range s.logs {
		all += v
	}
	for _, i := range chosen {
		mine += s.logs[i]
	}
	c, n := float64(len(chosen)), float64(len(s.logs))
	return mine/c - (all-mine)/(n-c)
}

// newDifference compares values by week. ok is false where no week has both.
func newDifference(weeks []time.Time, byWeek map[time.Time][]dayValue) (d Difference, ok bool) {
	var strata []stratum
	var mine, theirs []float64
	for _, week := range weeks {
		var s stratum
		for i, v := range byWeek[week] {
			if s.logs = append(s.logs, v.log); v.isCandidate {
				s.candidates = append(s.candidates, i)
			}
		}
		if len(s.candidates) == 0 || len(s.candidates) == len(s.logs) {
			continue
		}
		strata = append(strata, s)
		for _, v := range byWeek[week] {
			if v.isCandidate {
				mine = append(mine, v.log)
			} else {
				theirs = append(theirs, v.log)
			}
		}
	}
	if len(strata) == 0 {
		return d, false
	}
	change, half := estimateChange(strata)
	return Difference{
		CandidateDays: len(mine), IncumbentDays: len(theirs), Candidate: geometricMean(mine), Incumbent: geometricMean(theirs),
		Change: math.Exp(change), Least: math.Exp(change - half), Greatest: math.Exp(change + half), P: permutationP(strata),
	}, true
}

// estimateChange is the weighted mean of the weeks' differences, and half the width of its band, by
// how much days of one kind differ within a week.
func estimateChange(strata []stratum) (change, half float64) {
	weights, squares, free := 0.0, 0.0, 0.0
	for i := range strata {
		s := &strata[i]
		w, d := s.weight(), s.difference(s.candidates)
		change += w * d
		weights += w
		squares += s.squaresWithin(d)
		free += float64(len(s.logs) - 2)
	}
	return change / weights, shadow.BandWidth * math.Sqrt(squares/max(free, 1)/weights)
}

// squaresWithin is the sum of squared deviations from the means of the two kinds of days, which
// differ by d.
func (s *stratum) squaresWithin(d float64) float64 {
	shifted, isMine := make([]float64, len(s.logs)), map[int]bool{}
	for _, i := range s.candidates {
		isMine[i] = true
	}
	mean := 0.0
	for i, v := range s.logs {
		if shifted[i] = v; isMine[i] {
			shifted[i] -= d
		}
		mean += shifted[i] / float64(len(s.logs))
	}
	sum := 0.0
	for _, v := range shifted {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// maxDrawings is up to how many ways to draw the days all are tried; of more, so many by chance.
const maxDrawings = 200_000

// permutationP is the part of the ways to draw as many days of each week that shows at least the
// difference that was seen. That is what chance alone would do if it did not matter who decides.
func permutationP(strata []stratum) float64 {
	all := make([][]float64, len(strata)) // weighted differences, by week and drawing
	seen, count := 0.0, 1.0
	for i := range strata {
		s := &strata[i]
		w := s.weight()
		seen += w * s.difference(s.candidates)
		eachChoice(len(s.logs), len(s.candidates), func(chosen []int) { all[i] = append(all[i], w*s.difference(chosen)) })
		count *= float64(len(all[i]))
	}
	atLeast := math.Abs(seen) - 1e-12*(1+math.Abs(seen))
	if count <= maxDrawings {
		return float64(countBeyond(all, 0, atLeast)) / count
	}
	dice, beyond := rand.New(rand.NewPCG(1, 1)), 1
	for range maxDrawings {
		sum := 0.0
		for _, week := range all {
			sum += week[dice.IntN(len(week))]
		}
		if math.Abs(sum) >= atLeast {
			beyond++
		}
	}
	return float64(beyond) / (maxDrawings + 1)
}

// countBeyond counts the drawings whose sum is beyond a bound, either way.
func countBeyond(weeks [][]float64, sum, atLeast float64) (n int) {
	if len(weeks) == 0 {
		if math.Abs(sum) >= atLeast {
			return 1
		}
		return 0
	}
	for _, v := range weeks[0] {
		n += countBeyond(weeks[1:], sum+v, atLeast)
	}
	return n
}

// eachChoice calls do with each way to choose k of n.
func eachChoice(n, k int, do func([]int)) {
	chosen := make([]int, 0, k)
	var choose func(from int)
	choose = func(from int) {
		if len(chosen) == k {
			do(chosen)
			return
		}
		for i := from; i <= n-(k-len(chosen)); i++ {
			chosen = append(chosen, i)
			choose(i + 1)
			chosen = chosen[:len(chosen)-1]
		}
	}
	choose(0)
}
