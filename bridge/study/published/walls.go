package published

// WallTimes is how long the Shockwave artifact's simulator took on two cores of the
// kind our figures are from, in seconds, on its traces of four sizes. 0: not
// measured.
type WallTimes struct {
	Name          string
	OurPolicy     string
	SecondsBySize [4]float64 // as WallTimeSizes
}

// WorkloadSize is the size of a trace of the artifact.
type WorkloadSize struct{ JobCount, ClusterGPUs int }

// WallTimeSizes are the sizes of the artifact's traces.
var WallTimeSizes = [4]WorkloadSize{{120, 32}, {220, 64}, {460, 128}, {900, 256}}

// PolicyWallTimes are the policies whose times were measured.
var PolicyWallTimes = []WallTimes{
	{"gandiva_fair", proportionalPolicy, [4]float64{0, 9.5, 21.8, 31.8}},
	{"max_min_fairness", maxMinPolicy, [4]float64{0, 9.6, 23.0, 39.9}},
	{"finish_time_fairness", finishTimePolicy, [4]float64{0, 12.1, 22.4, 41.1}},
	{"max_sum_throughput_perf", throughputPolicy, [4]float64{0, 10.1, 16.5, 17.8}},
	{"min_total_duration", makespanPolicy, [4]float64{0, 14.0, 39.8, 61.4}},
	{"allox", alloxPolicy, [4]float64{0, 7.1, 8.4, 0}},
	{"shockwave", shockwavePolicy, [4]float64{120, 365, 0, 0}},
}
