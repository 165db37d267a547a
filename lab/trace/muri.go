package trace

import (
	"math"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// muriJobsPerGPU is how many jobs Muri lets share a GPU.
const muriJobsPerGPU = 4

// muriTable is the format of Muri's simulator, in milliseconds: how long a step takes, and for how
// much of that it needs each kind of resource. Any jobs may share GPUs there; those of
// priority 1 run on what others leave.
var muriTable = tableFormat{',', []string{"job_id", "num_gpu", "submit_time", "iterations", "model_name", "duration", "iteration_time", "resource_time_0", "resource_time_1", "resource_time_2"}, func(r *tableRecord) (workload.Job, string) {
	j := workload.Job{
		Name: r.textByName("job_id"), Class: r.textByName("model_name"), GPUs: r.countByName("num_gpu"),
		Arrive: r.numberByName("submit_time") / 1000, Duration: r.numberByName("duration") / 1000, IsShareable: true,
		Sharing: &policy.Sharing{
			JobsPerGPU: muriJobsPerGPU, AcceptsOtherUsers: true, StepSeconds: r.numberByName("iteration_time") / 1000,
			StageSeconds: []float64{r.numberByName("resource_time_0") / 1000, r.numberByName("resource_time_1") / 1000, r.numberByName("resource_time_2") / 1000},
		},
	}
	if r.hasColumn("priority") {
		j.Sharing.IsOpportunistic = r.numberByName("priority") == 1
	}
	checkMuriSteps(r, &j)
	return j, skipReason(r, &j, "")
}}

// checkMuriSteps wants the number of steps that fit into the run time, which is what is kept.
func checkMuriSteps(r *tableRecord, j *workload.Job) {
	steps, step := r.countByName("iterations"), j.Sharing.StepSeconds
	if r.err == nil && !(step > 0 && math.Abs(j.Duration/step-float64(steps)) < 1.001) {
		r.err = newUnlocatedProblem("iterations", "%d of %g ms do not make a duration of %g s", steps, step*1000, j.Duration)
	}
}
