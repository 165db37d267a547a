package trace

import (
	"math"
	"strconv"
	"strings"

	"fairbridge/bridge/study/workload"
)

// philly is the extract of Philly's log that later artifacts share.
var philly = table{',', []string{"timestamp", "duration", "num_gpus", "cluster"}, func(r *record) (workload.Job, string) {
	return workload.Job{
		Arrive: r.moment("timestamp"), Duration: r.num("duration"), GPUs: r.count("num_gpus"), Account: r.text("cluster"),
	}, ""
}}

// helios is the log of SenseTime's four clusters.
var helios = table{',', []string{"job_id", "user", "vc", "gpu_num", "state", "submit_time", "duration"}, func(r *record) (workload.Job, string) {
	j := workload.Job{
		ID: parseID(r.text("job_id")), Name: r.text("job_id"), User: r.text("user"), Account: r.text("vc"), GPUs: r.count("gpu_num"),
		CPUs: r.count("cpu_num"), Arrive: r.moment("submit_time"), Duration: r.num("duration"),
	}
	end, why := parseState(r.text("state"))
	j.End = end
	return j, skipReason(r, &j, why)
}}

// itp are the logs of ten Microsoft clusters published with ElasticFlow.
var itp = table{',', []string{"job_id", "submission_time", "duration", "num_gpu"}, func(r *record) (workload.Job, string) {
	return workload.Job{
		Name: r.text("job_id"), Arrive: r.num("submission_time"), Duration: r.num("duration"), GPUs: r.count("num_gpu"),
		Deadline: r.num("deadline"), Class: classOf(r.text("model_name"), r.count("batch_size")),
	}, ""
}}

// tiresias is the format of Tiresias' simulator, and of those made after it.
var tiresias = table{',', []string{"job_id", "num_gpu", "submit_time", "duration"}, func(r *record) (workload.Job, string) {
	j := workload.Job{
		Name: r.text("job_id"), User: r.text("user"), Arrive: r.num("submit_time"), Duration: r.num("duration"), GPUs: r.count("num_gpu"),
		Class: r.text("model_name"),
	}
	return j, skipReason(r, &j, "")
}}

// openb is the list of pods of Alibaba's GPU trace of 2023. Pods that ask for
// less than a GPU get one and may share it.
var openb = table{',', []string{"name", "num_gpu", "gpu_milli", "creation_time", "deletion_time", "scheduled_time"}, func(r *record) (workload.Job, string) {
	if r.text("scheduled_time") == "" || r.text("deletion_time") == "" {
		return workload.Job{}, neverRan
	}
	j := workload.Job{
		Name: r.text("name"), QOS: r.text("qos"), GPUs: r.count("num_gpu"), GPUType: oneType(r.text("gpu_spec")),
		CPUs: int(math.Ceil(r.num("cpu_milli") / 1000)), MemMB: int64(r.num("memory_mib")),
		Arrive: r.num("creation_time"), Duration: r.num("deletion_time") - r.num("scheduled_time"),
		Shareable: r.num("gpu_milli") < 1000,
	}
	if r.text("pod_phase") == "Failed" {
		j.End = workload.Failed
	}
	return j, skipReason(r, &j, "")
}}

// oneType is the GPU type of a list a|b when it names only one.
func oneType(spec string) string {
	if strings.Contains(spec, "|") {
		return ""
	}
	return spec
}

// skipReason is why a job does not count, once it is read without error.
func skipReason(r *record, j *workload.Job, why string) string {
	switch {
	case r.err != nil:
		return ""
	case j.GPUs == 0:
		return noGPUs
	case why != "":
		return why
	case j.Duration == 0:
		return neverRan
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
	return "", notEnded
}
