package workload

// Interference says how fast jobs truly are that share a GPU.
type Interference interface {
	// RelativeSpeeds returns the speed of each of the jobs on a GPU of the type, two or more of
	// them, relative to its speed alone; above 0.
	RelativeSpeeds(jobs []*Job, gpuType string) []float64
}

// NodeInterference says how fast jobs truly are beside jobs on other GPUs of their nodes.
type NodeInterference interface {
	// SpeedOnNode returns the speed of a job on a node where others hold GPUs too, one or more of
	// them, relative to its speed there without them; above 0.
	SpeedOnNode(j *Job, others []NodePart) float64
}

// NodePart is a job and the part of the GPUs of a node that it holds, above 0 to 1.
type NodePart struct {
	Job  *Job
	Part float64
}
