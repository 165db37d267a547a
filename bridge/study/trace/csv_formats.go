package trace

import (
	"math"
	"strconv"
	"strings"

	"fairbridge/bridge/study/workload"
)

// phillyTable is the extract of Philly's log that later artifacts share.
var phillyTable = table{',', []string{"timestamp", "duration", "num_gpus", "cluster"}, func(r *tableRecord) (workload.Job, string) {
	return workload.Job{
		Arrive: r.unixSeconds("timestamp"), Duration: r.number("duration"), GPUs: r.count("num_gpus"), Account: r.text("cluster"),
	}, ""
}}

// heliosTable is the log of SenseTime's four clusters.
var heliosTable = table{',', []string{"job_id", "user", "vc", "gpu_num", "state", "submit_time", "duration"}, func(r *tableRecord) (workload.Job, string) {
	j := workload.Job{
		ID: parseID(r.text("job_id")), Name: r.text("job_id"), User: r.text("user"), Account: r.text("vc"), GPUs: r.count("gpu_num"),
		CPUs: r.count("cpu_num"), Arrive: r.unixSeconds("submit_time"), Duration: r.number("duration"),
	}
	end, why := parseState(r.text("state"))
	j.End = end
	return j, skipReason(r, &j, why)
}}

// itpTable are the logs of ten Microsoft clusters published with ElasticFlow.
var itpTable = table{',', []string{"job_id", "submission_time", "duration", "num_gpu"}, func(r *tableRecord) (workload.Job, string) {
	return workload.Job{
		Name: r.text("job_id"), Arrive: r.number("submission_time"), Duration: r.number("duration"), GPUs: r.count("num_gpu"),
		Deadline: r.number("deadline"), Class: classOf(r.text("model_name"), r.count("batch_size")),
	}, ""
}}

// tiresiasTable is the format of Tiresias' simulator, and of those made after it.
var tiresiasTable = table{',', []string{"job_id", "num_gpu", "submit_time", "duration"}, func(r *tableRecord) (workload.Job, string) {
	j := workload.Job{
		Name: r.text("job_id"), User: r.text("user"), Arrive: r.number("submit_time"), Duration: r.number("duration"), GPUs: r.count("num_gpu"),
		Class: r.text("model_name"),
	}
	return j, skipReason(r, &j, "")
}}

// openbTable is the list of pods of Alibaba's GPU trace of 2023. Pods that ask for
// less than a GPU get one and may share it.
var openbTable = table{',', []string{"name", "num_gpu", "gpu_milli", "creation_time", "deletion_time", "scheduled_time"}, func(r *tableRecord) (workload.Job, string) {
	if r.text("scheduled_time") == "" || r.text("deletion_time") == "" {
		return workload.Job{}, ignoredNeverRan
	}
	j := workload.Job{
		Name: r.text("name"), QOS: r.text("qos"), GPUs: r.count("num_gpu"), GPUType: singleGPUType(r.text("gpu_spec")),
		CPUs: int(math.Ceil(r.number("cpu_milli") / 1000)), MemMB: int64(r.number("memory_mib")),
		Arrive: r.number("creation_time"), Duration: r.number("deletion_time") - r.number("scheduled_time"),
		Shareable: r.number("gpu_milli") < 1000,
	}
	if r.text("pod_phase") == "Failed" {
		j.End = workload.Failed
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
func parseState(state string) (end workload.End, why string) {
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
