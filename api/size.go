package api

// JobSize is what a job runs on, or asks while it waits, and what is recommended to it there.
type JobSize struct {
	GPUs     int  `json:"gpus"`
	Nodes    int  `json:"nodes,omitempty"` // 0: it does not run
	Runs     bool `json:"runs"`
	Restarts int  `json:"restarts"`           // how often it was requeued before: which run it is about
	MinGPUs  int  `json:"min_gpus,omitempty"` // fewest it may be given; 0: its size is fixed
	MaxGPUs  int  `json:"max_gpus,omitempty"` // most it may be given; 0: its size is fixed
	// Batch is the batch size recommended there, of the whole job; 0: it reported no batch sizes, or no speeds at them.
	Batch int `json:"batch,omitempty"`
	// GPUBatch is how much of it a GPU takes in one go.
	GPUBatch int `json:"gpu_batch,omitempty"`
	// Accumulation is how often a GPU does so before the pass that ends a step.
	Accumulation int `json:"accumulation,omitempty"`
	// Speed is how fast it is there, relative to what it asks; 0: not known.
	Speed float64 `json:"speed,omitempty"`
	// SpeedSource is where that is known from: table, reports, class, or assumed.
	SpeedSource string `json:"speed_source,omitempty"`
	// SpeedSigma is the relative standard error that is stated of its speed on a size that was not measured.
	SpeedSigma float64 `json:"speed_sigma,omitempty"`
	// RestartSeconds is what a restart costs it, in seconds without progress: its size is changed only after runs of 20 times that; 0: not known.
	RestartSeconds float64 `json:"restart_seconds,omitempty"`
	// RestartSource is what that rests on.
	RestartSource string `json:"restart_source,omitempty"`
}
