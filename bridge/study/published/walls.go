package published

// Wall is how long the Shockwave artifact's simulator took on two cores of the
// kind our figures are from, in seconds, on its traces of four sizes. 0: not
// measured.
type Wall struct {
	Name    string
	Ours    string
	Seconds [4]float64 // as Sizes
}

// Size is the size of a trace of the artifact.
type Size struct{ Jobs, GPUs int }

// Sizes are those of the artifact's traces.
var Sizes = [4]Size{{120, 32}, {220, 64}, {460, 128}, {900, 256}}

// Walls are the policies whose times were measured.
var Walls = []Wall{
	{"gandiva_fair", proportional, [4]float64{0, 9.5, 21.8, 31.8}},
	{"max_min_fairness", maxMin, [4]float64{0, 9.6, 23.0, 39.9}},
	{"finish_time_fairness", finishTime, [4]float64{0, 12.1, 22.4, 41.1}},
	{"max_sum_throughput_perf", throughput, [4]float64{0, 10.1, 16.5, 17.8}},
	{"min_total_duration", makespan, [4]float64{0, 14.0, 39.8, 61.4}},
	{"allox", allox, [4]float64{0, 7.1, 8.4, 0}},
	{"shockwave", shockwave, [4]float64{120, 365, 0, 0}},
}
