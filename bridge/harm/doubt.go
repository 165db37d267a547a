package harm

import "math"

// A partition is looked at every hour, at many figures each time, and is not to be demoted by
// chance. So chance alone may show harm in a partition that fares as with Slurm alone no more than once in twenty
// months: a twentieth is shared out over all looks and figures of a month (Bonferroni's inequality, as in O. J.
// Dunn, "Multiple comparisons among means", JASA 1961). It holds however much looks and figures hang
// together, as they do, since a look sees most of what the last one saw.
const (
	falseAlarms    = 0.05 // a month and partition, at most
	looksPerMonth  = 30 * 24
	figuresPerLook = 100
)

// BandOf is by how much a figure may differ, by chance, from its mean over simulations of Slurm alone, of which
// so many were made, with such a standard deviation: were the partition as under Slurm alone, the day that there was
// would be one more of them. It is the prediction interval for one more value of a normal distribution (Student's,
// since the deviation is known from few).
func BandOf(deviation float64, simulations int) float64 {
	return bandOf(deviation, simulations, falseAlarms/(looksPerMonth*figuresPerLook))
}

// bandOf is BandOf for a chance of one look at one figure.
func bandOf(deviation float64, simulations int, chance float64) float64 {
	n := float64(max(simulations, 2))
	return studentQuantile(chance, n-1) * deviation * math.Sqrt(1+1/n)
}

// studentQuantile is what a value of Student's distribution exceeds with a small probability, by its
// expansion about the normal one (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5).
func studentQuantile(p, freedom float64) float64 {
	x := math.Sqrt2 * math.Erfinv(1-2*p)
	x2, v := x*x, freedom
	return x * (1 + (x2+1)/(4*v) + ((5*x2+16)*x2+3)/(96*v*v) + (((3*x2+19)*x2+17)*x2-15)/(384*v*v*v))
}
