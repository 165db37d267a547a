package measure

// Summary are the figures of a run. Fractions are 0..1.
type Summary struct {
	Policy       string  `json:"policy"`
	Trace        string  `json:"trace"`
	Jobs         int     `json:"jobs"`
	Makespan     float64 `json:"makespan_s"`
	AvgJCT       float64 `json:"avg_jct_s"` // job completion time: finish − arrival
	MedianJCT    float64 `json:"median_jct_s"`
	P99JCT       float64 `json:"p99_jct_s"`
	AvgQueue     float64 `json:"avg_queue_s"` // JCT without the time it ran
	WorstRho     float64 `json:"worst_rho"`   // finish-time fairness; see Run.Rho
	MeanRho      float64 `json:"mean_rho"`
	Unfair       float64 `json:"unfair_share"` // of jobs with ρ > 1.05
	Utilization  float64 `json:"utilization"`
	Restarts     int     `json:"restarts"`
	LostGPUHours float64 `json:"lost_gpu_hours"`
	JainAccounts float64 `json:"jain_accounts"`
	Wall         float64 `json:"wall_s"`
}
