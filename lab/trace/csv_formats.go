package trace

import (
	"math"
	"strconv"
	"strings"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// phillyTable is the extract of Philly's log that later artifacts share.
var phillyTable = tableFormat{',', []string{"timestamp", "duration", "num_gpus", "cluster"}, func(r *tableRecord) (workload.Job, string) {
	return workload.Job{
		Arrive: r.unixSeconds("timestamp"), Duration: r.numberByName("duration"), GPUs: r.countByName("num_gpus"), Account: r.textByName("cluster"),
	}, ""
}}

// heliosTable is the log of SenseTime's four clusters.
var heliosTable = tableFormat{',', []string{"job_id", "user", "vc", "gpu_num", "state", "submit_time", "duration"}, func(r *tableRecord) (workload.Job, string) {
	j := workload.Job{
		ID: parseID(r.textByName("job_id")), Name: r.textByName("job_id"), User: r.textByName("user"), Account: r.textByName("vc"), GPUs: r.countByName("gpu_num"),
		CPUs: r.countByName("cpu_num"), Arrive: r.unixSeconds("submit_time"), Duration: r.numberByName("duration"),
	}
	end, why := parseState(r.textByName("state"))
	j.End = end
	return j, skipReason(r, &j, why)
}}

// itpTable are the logs of ten Microsoft clusters published with ElasticFlow.
var itpTable = tableFormat{',', []string{"job_id", "submission_time", "duration", "num_gpu"}, func(r *tableRecord) (workload.Job, string) {
	return workload.Job{
		Name: r.textByName("job_id"), Arrive: r.numberByName("submission_time"), Duration: r.numberByName("duration"), GPUs: r.countByName("num_gpu"),
		Deadline: r.numberByName("deadline"), Class: classOf(r.textByName("model_name"), r.countByName("batch_size")), Training: r.keptSteps("num_iteration"),
	}, ""
}}

// elasticFlowTable is the format of ElasticFlow's simulator. A job with best_effort 1 has no
// deadline.
var elasticFlowTable = tableFormat{',', []string{"job_id", "submit_time", "iteration", "model_name", "ddl", "batch_size", "num_gpu", "duration"}, func(r *tableRecord) (workload.Job, string) {
	j := workload.Job{
		Name: r.textByName("job_id"), Arrive: r.numberByName("submit_time"), Duration: r.numberByName("duration"), GPUs: r.countByName("num_gpu"),
		Deadline: r.numberByName("ddl"), Class: classOf(r.textByName("model_name"), r.countByName("batch_size")), Training: r.keptSteps("iteration"),
	}
	if r.numberByName("best_effort") == 1 {
		j.Deadline = 0
	}
	return j, ""
}}

// keptSteps is the training job of a row that tells both how long it ran and its steps: nil,
// and it runs as long as it did, unless the steps are wanted (ReadOptions.KeepsSteps).
func (r *tableRecord) keptSteps(column string) *workload.Training {
	if !r.keepsSteps {
		return nil
	}
	return &workload.Training{Model: r.textByName("model_name"), BatchSize: r.countByName("batch_size"), Mode: workload.StaticMode, Steps: int64(r.countByName(column))}
}

// tiresiasTable is the format of Tiresias' simulator, and of those made after it.
var tiresiasTable = tableFormat{',', []string{"job_id", "num_gpu", "submit_time", "duration"}, func(r *tableRecord) (workload.Job, string) {
	j := workload.Job{
		Name: r.textByName("job_id"), User: r.textByName("user"), Arrive: r.numberByName("submit_time"), Duration: r.numberByName("duration"), GPUs: r.countByName("num_gpu"),
		Class: r.textByName("model_name"),
	}
	return j, skipReason(r, &j, "")
}}

// openbTable is the list of pods of Alibaba's GPU trace of 2023. Pods that ask for
// less than a GPU get one and may share it.
var openbTable = tableFormat{',', []string{"name", "num_gpu", "gpu_milli", "creation_time", "deletion_time", "scheduled_time"}, func(r *tableRecord) (workload.Job, string) {
	if r.textByName("scheduled_time") == "" || r.textByName("deletion_time") == "" {
		return workload.Job{}, ignoredNeverRan
	}
	j := workload.Job{
		Name: r.textByName("name"), QOS: r.textByName("qos"), GPUs: r.countByName("num_gpu"), GPUType: singleGPUType(r.textByName("gpu_spec")),
		CPUs: int(math.Ceil(r.numberByName("cpu_milli") / 1000)), MemMB: int64(r.numberByName("memory_mib")),
		Arrive: r.numberByName("creation_time"), Duration: r.numberByName("deletion_time") - r.numberByName("scheduled_time"),
		IsShareable: r.numberByName("gpu_milli") < 1000,
	}
	if r.textByName("pod_phase") == "Failed" {
		j.End = workload.Failed
	}
	return j, skipReason(r, &j, "")
}}

// pcsTable are the workloads of PCS' simulator: applications that run on any part of their most
// GPUs, faster in proportion. Such a job asks for one GPU here, and may have up to its most.
var pcsTable = tableFormat{',', []string{"app", "arrival_s", "gpus_max", "service_gpu_s", "speedup"}, func(r *tableRecord) (workload.Job, string) {
	j := workload.Job{
		Name: r.textByName("app"), Arrive: r.numberByName("arrival_s"), Duration: r.numberByName("service_gpu_s"), GPUs: 1,
		MinGPUs: 1, MaxGPUs: r.countByName("gpus_max"), Scaling: &policy.Scaling{Source: policy.ScalingFromTable},
	}
	if r.textByName("speedup") != "linear" {
		return j, ignoredSpeedup
	}
	return j, skipReason(r, &j, "")
}}

// singleGPUType is the GPU type of a list a|b when it names only one.
func singleGPUType(spec string) string {
	if strings.Contains(spec, "|") {
		return ""
	}
	return spec
}

// skipReason is why a job does not count, once it is read without error.
func skipReason(r *tableRecord, j *workload.Job, why string) string {
	switch {
	case r.err != nil:
		return ""
	case j.GPUs == 0:
		return ignoredWithoutGPUs
	case why != "":
		return why
	case j.Duration == 0:
		return ignoredNeverRan
	}
	return ""
}

// parseID returns a positive number as it is and 0, for the line, for
// everything else.
func parseID(s string) int64 {
	if id, err := strconv.ParseInt(s, 10, 64); err == nil && id > 0 {
		return id
	}
	return 0
}

func classOf(model string, batch int) string {
	if model == "" || batch == 0 {
		return model
	}
	return workload.ClassOf(model, batch)
}

// parseState translates the states of Slurm. A job that ran into its limit did all
// it could do.
func parseState(state string) (end workload.JobEnd, why string) {
	word, _, _ := strings.Cut(strings.ToUpper(state), " ") // CANCELLED by 1000
	switch strings.TrimSuffix(word, "+") {
	case "COMPLETED", "TIMEOUT":
		return workload.Completed, ""
	case "CANCELLED", "PREEMPTED", "REVOKED", "DEADLINE":
		return workload.Cancelled, ""
	case "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "OUT_OF_ME", "BOOT_FAIL":
		return workload.Failed, ""
	}
	return "", ignoredNotEnded
}
