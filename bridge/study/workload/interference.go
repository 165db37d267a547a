package workload

// Interference says how fast jobs truly are that share a GPU.
type Interference interface {
	// RelativeSpeeds returns the speed of each of the jobs on a GPU of the type, two or more of
	// them, relative to its speed alone; above 0.
	RelativeSpeeds(jobs []*Job, gpuType string) []float64
}
