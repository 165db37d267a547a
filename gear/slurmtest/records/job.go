package records

import (
	"fairbridge/bridge/slurm"
)

// jobRecord is a job record in the making.
type jobRecord struct {
	Version
	*slurm.Job
	encoder *Encoder
}

// jobTable are all keys of a job record.
var jobTable = newRecordTable(jobConstants, jobFields, jobTimeFields)

var jobFields = []recordField[jobRecord]{
	{"account", 38, noLastVersion, func(j jobRecord) any { return j.Account }},
	{"admin_comment", 38, noLastVersion, func(j jobRecord) any { return j.AdminComment }},
	{"array_job_id", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumber(j.ArrayJobID) }},
	{"array_task_id", 38, noLastVersion, arrayTaskID},
	{"array_max_tasks", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumber(int64(j.ArrayMaxTasks)) }},
	{"array_task_string", 38, noLastVersion, func(j jobRecord) any { return j.ArrayTasks.Text }},
	{"batch_flag", 38, noLastVersion, func(j jobRecord) any { return j.IsBatch }},
	{"batch_host", 38, noLastVersion, batchHost},
	{"billable_tres", 38, noLastVersion, billableTRES},
	{"cluster", 38, noLastVersion, func(j jobRecord) any { return j.Cluster }},
	{"comment", 38, noLastVersion, func(j jobRecord) any { return j.Comment }},
	{"cpus", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumber(int64(j.CPUs)) }},
	{"dependency", 38, noLastVersion, func(j jobRecord) any { return j.Dependency.Text }},
	{"derived_exit_code", 38, noLastVersion, exitCode},
	{"excluded_nodes", 38, noLastVersion, func(j jobRecord) any { return j.ExcludedNodes.Text }},
	{"exit_code", 38, noLastVersion, exitCode},
	{"extra", 39, noLastVersion, func(j jobRecord) any { return j.Extra }},
	{"features", 38, noLastVersion, func(j jobRecord) any { return j.Features.Text }},
	{"flags", 38, noLastVersion, jobFlags},
	{"gres_detail", 38, noLastVersion, func(j jobRecord) any { return gresDetail(j) }},
	{"group_id", 38, noLastVersion, func(j jobRecord) any { return j.UserID }},
	{"group_name", 38, noLastVersion, func(j jobRecord) any { return j.User }},
	{"hold", 39, noLastVersion, func(j jobRecord) any { return j.IsHeld }},
	{"job_id", 38, noLastVersion, func(j jobRecord) any { return j.ID }},
	{"job_resources", 38, noLastVersion, jobResources},
	{"job_state", 38, noLastVersion, func(j jobRecord) any { return j.encodeJobState(j.State, j.Flags) }},
	{"max_nodes", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumber(int64(j.MaxNodes)) }},
	{"memory_per_cpu", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumberOrUnset(j.MemPerCPUMB) }},
	{"memory_per_node", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumberOrUnset(j.MemPerNodeMB) }},
	{"minimum_cpus_per_node", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumber(int64(j.CPUs / max(j.NodeCount, 1))) }},
	{"name", 38, noLastVersion, func(j jobRecord) any { return j.Name }},
	{"nice", 38, noLastVersion, niceValue},
	{"node_count", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumber(int64(j.NodeCount)) }},
	{"nodes", 38, noLastVersion, func(j jobRecord) any { return j.Nodes.Text }},
	{"partition", 38, noLastVersion, func(j jobRecord) any { return j.PartitionText() }},
	{"priority", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumber(j.Priority) }},
	{"qos", 38, noLastVersion, func(j jobRecord) any { return j.QOS }},
	{"requeue", 38, noLastVersion, func(j jobRecord) any { return j.Requeue }},
	{"required_nodes", 38, noLastVersion, func(j jobRecord) any { return j.RequiredNodes.Text }},
	{"restart_cnt", 38, noLastVersion, func(j jobRecord) any { return j.Restarts }},
	{"scheduled_nodes", 39, noLastVersion, func(j jobRecord) any { return j.ScheduledNodes.Text }},
	{"state_reason", 38, noLastVersion, func(j jobRecord) any { return j.Reason }},
	{"step_id", 44, noLastVersion, stepID},
	{"tasks", 38, noLastVersion, func(j jobRecord) any { return j.EncodeNumber(int64(j.ProcessCount)) }},
	{"tres_alloc_str", 38, noLastVersion, func(j jobRecord) any { return j.AllocatedTRES.Text }},
	{"tres_per_job", 38, noLastVersion, func(j jobRecord) any { return j.formatGRES(j.GresPerJob.Text) }},
	{"tres_per_node", 38, noLastVersion, func(j jobRecord) any { return j.formatGRES(j.GresPerNode.Text) }},
	{"tres_req_str", 38, noLastVersion, func(j jobRecord) any { return j.RequestedTRES.Text }},
	{"user_id", 38, noLastVersion, func(j jobRecord) any { return j.UserID }},
	{"user_name", 38, noLastVersion, func(j jobRecord) any { return j.User }},
}

var jobTimeFields = []recordField[jobRecord]{
	{"accrue_time", 38, noLastVersion, func(j jobRecord) any { return j.EncodeTime(j.AccrueTime) }},
	{"deadline", 38, noLastVersion, func(j jobRecord) any { return j.EncodeTime(j.Deadline) }},
	{"eligible_time", 38, noLastVersion, func(j jobRecord) any { return j.EncodeTime(j.EligibleTime) }},
	{"end_time", 38, noLastVersion, func(j jobRecord) any { return j.EncodeTime(j.End) }},
	{"last_sched_evaluation", 38, noLastVersion, func(j jobRecord) any { return j.EncodeTime(j.encoder.ChangedAt) }},
	{"start_time", 38, noLastVersion, func(j jobRecord) any { return j.EncodeTime(j.Start) }},
	{"submit_time", 38, noLastVersion, func(j jobRecord) any { return j.EncodeTime(j.Submit) }},
	{"time_limit", 38, noLastVersion, func(j jobRecord) any { return j.encodeTimeLimit(j.TimeLimit) }},
}

// gresDetail is gres_detail: what the job holds, node by node.
func gresDetail(j jobRecord) []string {
	out := []string{}
	for _, g := range j.GresDetail {
		out = append(out, g.Text)
	}
	return out
}

func arrayTaskID(j jobRecord) any {
	if !j.IsArrayTask {
		return j.unsetNumber()
	}
	return j.EncodeNumber(j.ArrayTaskID)
}

func batchHost(j jobRecord) any {
	if hosts := j.Nodes.Names; len(hosts) > 0 {
		return hosts[0]
	}
	return ""
}

func billableTRES(j jobRecord) any {
	if j.IsPending() {
		if j.hasBareNumbers() {
			return nil
		}
		return WrapNumber(false, false, 0.0)
	}
	return j.EncodeNumber(int64(j.CPUs))
}

// niceValue is null in 22.05 unless it is above 0.
func niceValue(j jobRecord) any {
	if j.hasBareNumbers() && j.Nice <= 0 {
		return nil
	}
	return j.Nice
}

func exitCode(j jobRecord) any {
	code, word := 0, "SUCCESS"
	if j.State == "FAILED" {
		code, word = 1, "ERROR"
	}
	if j.hasBareNumbers() {
		return code << 8
	}
	return map[string]any{
		"status": []string{word}, "return_code": WrapNumber(true, false, code),
		"signal": map[string]any{"id": WrapNumber(false, false, 0), "name": ""},
	}
}

func jobFlags(j jobRecord) any {
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
func stepID(j jobRecord) any {
	return map[string]any{
		"sluid": j.SLUID, "job_id": WrapNumber(true, false, j.ID),
		"step_het_component": WrapNumber(false, false, 0), "step_id": "entire",
	}
}

// jobResources is job_resources of a job that holds some: host names and counts,
// without the map of every core.
func jobResources(j jobRecord) any {
	hosts := j.Nodes.Names
	switch {
	case (len(hosts) == 0 || !j.IsRunning()) && (j.Version <= 38 || j.Version >= 41):
		return nil
	case j.Version <= 40:
		return oldJobResources(j, hosts)
	}
	each := j.CPUs / max(len(hosts), 1)
	var nodes []any
	for i, h := range hosts {
		nodes = append(nodes, map[string]any{
			"index": i, "name": h, "cpus": map[string]any{"count": each, "used": 0},
			"memory":  map[string]any{"used": 0, "allocated": j.MemPerNodeMB},
			"sockets": []any{},
		})
	}
	return map[string]any{
		"select_type": []string{"CR_CORE_MEMORY"}, "cpus": j.CPUs, "threads_per_core": WrapNumber(false, false, 0),
		"nodes": map[string]any{
			"count": len(hosts), "select_type": []string{"ONE_ROW"}, "list": j.Nodes.Text, "whole": j.Exclusive,
			"allocation": nodes,
		},
	}
}

func oldJobResources(j jobRecord, hosts []string) any {
	if !j.IsRunning() {
		hosts = nil
	}
	nodes := []any{}
	for _, h := range hosts {
		nodes = append(nodes, map[string]any{
			"nodename": h, "cpus_used": 0, "memory_used": 0, "memory_allocated": j.MemPerNodeMB,
			"sockets": map[string]any{},
		})
	}
	out := map[string]any{
		"nodes": j.Nodes.Text, "allocated_cores": j.CPUs, "allocated_hosts": len(hosts), "allocated_nodes": nodes,
	}
	if j.Version >= 39 {
		out["allocated_cpus"] = 0
	}
	return out
}
