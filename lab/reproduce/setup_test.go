package reproduce

import "fairbridge/lab/reproduce/reproducetest"

var (
	system   = reproducetest.NewSystem
	cluster  = reproducetest.NewCluster
	simulate = reproducetest.Simulate
	median   = reproducetest.Median
)

// over returns the median over seeds 1 to n of a figure.
func over(n int, figure func(seed int64) float64) float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = figure(int64(i + 1))
	}
	return median(values)
}
