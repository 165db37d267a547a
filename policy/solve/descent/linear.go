package descent

import "math"

func identity(n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		a[i][i] = 1
	}
	return a
}

// solvePositive solves a*x = b for the free variables, the others being 0, by Cholesky's
// decomposition. Where a is not positive definite x is b, the way straight down.
func solvePositive(a [][]float64, b []float64, free []int) []float64 {
	x, n := make([]float64, len(b)), len(free)
	root, y := identity(n), make([]float64, n)
	for i := range n {
		for j := range i + 1 {
			sum := a[free[i]][free[j]]
			for k := range j {
				sum -= root[i][k] * root[j][k]
			}
			switch {
			case i != j:
				root[i][j] = sum / root[j][j]
			case sum > 0:
				root[i][i] = math.Sqrt(sum)
			default:
				for _, f := range free {
					x[f] = b[f]
				}
				return x
			}
		}
	}
	for i := range n {
		y[i] = b[free[i]]
		for k := range i {
			y[i] -= root[i][k] * y[k]
		}
		y[i] /= root[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			y[i] -= root[k][i] * y[k]
		}
		y[i] /= root[i][i]
		x[free[i]] = y[i]
	}
	return x
}
