package interference

// Spread is how a figure is spread over pairs of jobs.
type Spread struct {
	Mean float64
	Low  float64 // below which one in ten is
}

// tenth is how many standard errors below the mean one in ten is.
const tenth = 1.2816

// Sigma is the standard error of the figure of one pair.
func (s Spread) Sigma() float64 { return (s.Mean - s.Low) / tenth }

// rowWidth is how much utilisation of two jobs together a row of bySum spans.
const rowWidth = 0.2

// bySum is the mean of the speeds of two jobs, by the sum of their utilisations alone: below
// 0.2, 0.4, and so on up to 2.
var bySum = [...]Spread{{.98, .95}, {.99, .96}, {1.02, .94}, {.99, .92}, {.97, .89}, {.93, .85}, {.87, .79}, {.80, .69}, {.73, .63}, {.68, .56}}

// pairByScore and slowerByScore are the mean of the speeds of two jobs, and the speed of
// the slower of them, by the sum of their sharing scores.
var (
	pairByScore   = [...]Spread{{1.01, .96}, {.99, .92}, {.95, .86}, {.86, .75}, {.76, .62}}
	slowerByScore = [...]Spread{{.965, .914}, {.94, .87}, {.91, .80}, {.80, .65}, {.68, .54}}
)

// PairAt returns the mean of the speeds of two jobs whose utilisations alone sum up so. It can be
// a little above 1, by the noise of what was measured.
func PairAt(sum float64) Spread {
	return bySum[max(min(int(sum/rowWidth+1e-9), len(bySum)-1), 0)]
}

// PairOf returns the mean of the speeds of two jobs of the classes.
func PairOf(a, b Class) Spread { return pairByScore[score(a, b)] }

// SlowerOf returns the speed of the slower one of two jobs of the classes.
func SlowerOf(a, b Class) Spread { return slowerByScore[score(a, b)] }

// score is the sum of the sharing scores.
func score(a, b Class) int { return int(a + b) }
