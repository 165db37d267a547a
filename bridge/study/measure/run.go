// Package measure turns what happened in a simulated or real cluster into the
// figures people compare schedulers by. All times are seconds.
package measure

// JobOutcome is what became of one job.
type JobOutcome struct {
	ID                  int64
	User                string
	Account             string
	GPUCount            int
	Arrive              float64
	Start               float64 // first
	Finish              float64
	ExclusiveRunSeconds float64 // exclusive run time: on what it asks, never stopped
	MeanJobsPresent     float64 // mean number of jobs present while it was
	StopCount           int
	HeldSeconds         float64 // seconds it held GPUs
	Service             float64 // GPU-seconds it held GPUs
	LostService         float64 // GPU-seconds of Service that brought no progress
}

// ClusterSample is the cluster at one moment; it holds until the next one.
type ClusterSample struct {
	AtSeconds     float64
	BusyGPUs      int // GPUs allocated
	RunningJobs   int
	QueuedJobs    int
	GPUsByAccount map[string]float64 // by account, allocated; nil: not kept
}

// Run is one policy on one workload.
type Run struct {
	PolicyName      string
	TraceName       string
	Seed            int64
	ClusterGPUs     int // of the cluster
	MakespanSeconds float64
	BusyGPUSeconds  float64 // GPU-seconds of work done, without overheads
	JobOutcomes     []JobOutcome
	Samples         []ClusterSample
	WallSeconds     float64   // seconds the simulation took
	DecideSeconds   []float64 // seconds each decision took
}
