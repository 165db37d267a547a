package records

import (
	"fairbridge/bridge/slurm"
)

// job is a job record in the making.
type job struct {
	Version
	*slurm.Job
	enc *Encoder
}

// jobTable are all keys of a job record.
var jobTable = newTable(jobConstants, jobFields, jobTimes)

var jobFields = []field[job]{
	{"account", 38, newestVersion, func(j job) any { return j.Account }},
	{"admin_comment", 38, newestVersion, func(j job) any { return j.AdminComment }},
	{"array_job_id", 38, newestVersion, func(j job) any { return j.Number(j.ArrayJobID) }},
	{"array_task_id", 38, newestVersion, arrayTask},
	{"array_max_tasks", 38, newestVersion, func(j job) any { return j.Number(int64(j.ArrayMaxTasks)) }},
	{"array_task_string", 38, newestVersion, func(j job) any { return j.ArrayTasks.Text }},
	{"batch_flag", 38, newestVersion, func(j job) any { return j.IsBatch }},
	{"batch_host", 38, newestVersion, batchHost},
	{"billable_tres", 38, newestVersion, billableTRES},
	{"cluster", 38, newestVersion, func(j job) any { return j.Cluster }},
	{"comment", 38, newestVersion, func(j job) any { return j.Comment }},
	{"cpus", 38, newestVersion, func(j job) any { return j.Number(int64(j.CPUs)) }},
	{"dependency", 38, newestVersion, func(j job) any { return j.Dependency.Text }},
	{"derived_exit_code", 38, newestVersion, exitCode},
	{"excluded_nodes", 38, newestVersion, func(j job) any { return j.ExcludedNodes.Text }},
	{"exit_code", 38, newestVersion, exitCode},
	{"extra", 39, newestVersion, func(j job) any { return j.Extra }},
	{"features", 38, newestVersion, func(j job) any { return j.Features.Text }},
	{"flags", 38, newestVersion, jobFlags},
	{"gres_detail", 38, newestVersion, func(j job) any { return gresDetail(j) }},
	{"group_id", 38, newestVersion, func(j job) any { return j.UserID }},
	{"group_name", 38, newestVersion, func(j job) any { return j.User }},
	{"hold", 39, newestVersion, func(j job) any { return j.IsHeld }},
	{"job_id", 38, newestVersion, func(j job) any { return j.ID }},
	{"job_resources", 38, newestVersion, jobResources},
	{"job_state", 38, newestVersion, func(j job) any { return j.state(j.State, j.Flags) }},
	{"max_nodes", 38, newestVersion, func(j job) any { return j.Number(int64(j.MaxNodes)) }},
	{"memory_per_cpu", 38, newestVersion, func(j job) any { return j.NumberOrUnset(j.MemPerCPUMB) }},
	{"memory_per_node", 38, newestVersion, func(j job) any { return j.NumberOrUnset(j.MemPerNodeMB) }},
	{"minimum_cpus_per_node", 38, newestVersion, func(j job) any { return j.Number(int64(j.CPUs / max(j.NodeCount, 1))) }},
	{"name", 38, newestVersion, func(j job) any { return j.Name }},
	{"nice", 38, newestVersion, niceValue},
	{"node_count", 38, newestVersion, func(j job) any { return j.Number(int64(j.NodeCount)) }},
	{"nodes", 38, newestVersion, func(j job) any { return j.Nodes.Text }},
	{"partition", 38, newestVersion, func(j job) any { return j.PartitionText() }},
	{"priority", 38, newestVersion, func(j job) any { return j.Number(j.Priority) }},
	{"qos", 38, newestVersion, func(j job) any { return j.QOS }},
	{"requeue", 38, newestVersion, func(j job) any { return j.Requeue }},
	{"required_nodes", 38, newestVersion, func(j job) any { return j.RequiredNodes.Text }},
	{"restart_cnt", 38, newestVersion, func(j job) any { return j.Restarts }},
	{"scheduled_nodes", 39, newestVersion, func(j job) any { return j.ScheduledNodes.Text }},
	{"state_reason", 38, newestVersion, func(j job) any { return j.Reason }},
	{"step_id", 44, newestVersion, stepID},
	{"tasks", 38, newestVersion, func(j job) any { return j.Number(int64(j.NodeCount)) }},
	{"tres_alloc_str", 38, newestVersion, func(j job) any { return j.AllocatedTRES.Text }},
	{"tres_per_job", 38, newestVersion, func(j job) any { return j.gres(j.GresPerJob.Text) }},
	{"tres_per_node", 38, newestVersion, func(j job) any { return j.gres(j.GresPerNode.Text) }},
	{"tres_req_str", 38, newestVersion, func(j job) any { return j.RequestedTRES.Text }},
	{"user_id", 38, newestVersion, func(j job) any { return j.UserID }},
	{"user_name", 38, newestVersion, func(j job) any { return j.User }},
}

var jobTimes = []field[job]{
	{"accrue_time", 38, newestVersion, func(j job) any { return j.Time(j.Accrue) }},
	{"deadline", 38, newestVersion, func(j job) any { return j.Time(j.Deadline) }},
	{"eligible_time", 38, newestVersion, func(j job) any { return j.Time(j.Eligible) }},
	{"end_time", 38, newestVersion, func(j job) any { return j.Time(j.End) }},
	{"last_sched_evaluation", 38, newestVersion, func(j job) any { return j.Time(j.enc.Changed) }},
	{"start_time", 38, newestVersion, func(j job) any { return j.Time(j.Start) }},
	{"submit_time", 38, newestVersion, func(j job) any { return j.Time(j.Submit) }},
	{"time_limit", 38, newestVersion, func(j job) any { return j.minutes(j.TimeLimit) }},
}

// gresDetail is gres_detail: what the job holds, node by node.
func gresDetail(j job) []string {
	out := []string{}
	for _, g := range j.GresDetail {
		out = append(out, g.Text)
	}
	return out
}

func arrayTask(j job) any {
	if !j.IsArrayTask {
		return j.unset()
	}
	return j.Number(j.ArrayTaskID)
}

func batchHost(j job) any {
	if hosts := j.Nodes.Names; len(hosts) > 0 {
		return hosts[0]
	}
	return ""
}

func billableTRES(j job) any {
	if j.IsPending() {
		if j.isPlain() {
			return nil
		}
		return Wrapped(false, false, 0.0)
	}
	return j.Number(int64(j.CPUs))
}

// niceValue is null in 22.05 unless it is above 0.
func niceValue(j job) any {
	if j.isPlain() && j.Nice <= 0 {
		return nil
	}
	return j.Nice
}

func exitCode(j job) any {
	code, word := 0, "SUCCESS"
	if j.State == "FAILED" {
		code, word = 1, "ERROR"
	}
	if j.isPlain() {
		return code << 8
	}
	return map[string]any{
		"status": []string{word}, "return_code": Wrapped(true, false, code),
		"signal": map[string]any{"id": Wrapped(false, false, 0), "name": ""},
	}
}

func jobFlags(j job) any {
	flags := []string{}
	if j.Restarts > 0 || !j.IsPending() {
		flags = append(flags, "JOB_WAS_RUNNING")
	}
	if j.Version >= 40 {
		flags = append(flags, "USING_DEFAULT_WCKEY", "PARTITION_ASSIGNED")
	}
	return flags
}

// stepID carries the run's SLUID.
func stepID(j job) any {
	return map[string]any{
		"sluid": j.SLUID, "job_id": Wrapped(true, false, j.ID),
		"step_het_component": Wrapped(false, false, 0), "step_id": "entire",
	}
}
