package fair

import (
	"cmp"
	"math"
	"slices"
)

// SpeedProfile is a speed measured with some amounts of resources, all positive.
type SpeedProfile struct {
	Amounts []float64
	Speed   float64
}

// Elasticities fits speed = A · Π amounts[r]^alpha[r] to the profiles: least
// squares on logarithms with a little ridge, so that what never varied counts
// nothing, and none below 0. ok is false with fewer profiles than resources
// plus one, or when nothing is learned from them.
func Elasticities(profiles []SpeedProfile, resources int) (alpha []float64, ok bool) {
	if len(profiles) <= resources {
		return nil, false
	}
	rows, y := centredLogarithms(profiles, resources)
	used := make([]int, resources)
	for r := range used {
		used[r] = r
	}
	alpha = make([]float64, resources)
	for len(used) > 0 { // drop what comes out negative and fit the others again
		fit := ridgeRegression(rows, y, used)
		least := 0
		for k := range fit {
			if fit[k] < fit[least] {
				least = k
			}
		}
		if fit[least] >= 0 {
			for k, r := range used {
				alpha[r] = fit[k]
			}
			break
		}
		used = slices.Delete(used, least, least+1)
	}
	return alpha, DominantShare(alpha) > 1e-6
}

// centredLogarithms returns centred logarithms.
func centredLogarithms(profiles []SpeedProfile, resources int) (rows [][]float64, y []float64) {
	mean := make([]float64, resources+1)
	n := float64(len(profiles))
	for _, p := range profiles {
		row := make([]float64, resources)
		for r := range row {
			row[r] = math.Log(p.Amounts[r])
			mean[r] += row[r] / n
		}
		rows, y = append(rows, row), append(y, math.Log(p.Speed))
		mean[resources] += y[len(y)-1] / n
	}
	for i := range rows {
		for r := range rows[i] {
			rows[i][r] -= mean[r]
		}
		y[i] -= mean[resources]
	}
	return rows, y
}

// ridgeRegression solves the normal equations over some columns, by elimination. The
// ridge keeps the pivots positive.
func ridgeRegression(rows [][]float64, y []float64, used []int) []float64 {
	n := len(used)
	a := make([][]float64, n)
	for i, r := range used {
		a[i] = make([]float64, n+1)
		for j, s := range used {
			for _, row := range rows {
				a[i][j] += row[r] * row[s]
			}
		}
		a[i][i] += 1e-3
		for k, row := range rows {
			a[i][n] += row[r] * y[k]
		}
	}
	for i := range n {
		for j := range n {
			if f := a[j][i] / a[i][i]; j != i {
				for k := i; k <= n; k++ {
					a[j][k] -= f * a[i][k]
				}
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = a[i][n] / a[i][i]
	}
	return x
}

// DivideByElasticities divides resources among users with the elasticities alpha[i][r]:
// each resource in proportion to weight times elasticity, rescaled so that
// every user's add up to 1 (S. M. Zahedi, B. C. Lee, "REF", ASPLOS 2014). It is
// the market equilibrium of equal incomes. Users without elasticities get
// nothing.
func DivideByElasticities(weight []float64, alpha [][]float64, capacity []float64) [][]float64 {
	sums, got := make([]float64, len(capacity)), make([][]float64, len(alpha))
	for i := range alpha {
		got[i] = make([]float64, len(capacity))
		total := 0.0
		for _, a := range alpha[i] {
			total += a
		}
		for r := range capacity {
			if total > 0 {
				got[i][r] = weight[i] * alpha[i][r] / total
				sums[r] += got[i][r]
			}
		}
	}
	for i := range got {
		for r := range capacity {
			if sums[r] > 0 {
				got[i][r] *= capacity[r] / sums[r]
			}
		}
	}
	return got
}

// RoundSharesToWhole rounds shares to whole numbers between least and most that add up to
// total, or as near as those allow: every party gets the whole part, and the rest
// goes one by one to the party furthest below its share; what is too much is
// taken from the one furthest above it. Ties go to the first.
func RoundSharesToWhole(share []float64, least, most []int, total int) []int {
	got, sum := make([]int, len(share)), 0
	for i, x := range share {
		got[i] = max(min(int(math.Floor(x+1e-9)), most[i]), least[i])
		sum += got[i]
	}
	for ; sum != total; sum += cmp.Compare(total, sum) {
		step := cmp.Compare(total, sum)
		best := -1
		for i := range got {
			if next := got[i] + step; next < least[i] || next > most[i] {
				continue
			}
			if best < 0 || float64(step)*(share[i]-float64(got[i])) > float64(step)*(share[best]-float64(got[best]))+1e-9 {
				best = i
			}
		}
		if best < 0 {
			break
		}
		got[best] += step
	}
	return got
}
