package slurmtest

const last = 45

// jobFields are all keys of a job record.
var jobFields = join(jobKnown, jobTimes, jobFixed)

var jobKnown = []field{
	{"account", 38, last, func(p *page) any { return p.job.Account }},
	{"admin_comment", 38, last, func(p *page) any { return p.job.Admin }},
	{"array_job_id", 38, last, func(p *page) any { return p.num(p.job.ArrayJob) }},
	{"array_task_id", 38, last, arrayTask},
	{"array_max_tasks", 38, last, func(p *page) any { return p.num(int64(p.job.ArrayMax)) }},
	{"array_task_string", 38, last, func(p *page) any { return p.job.ArrayTasks }},
	{"batch_flag", 38, last, func(p *page) any { return p.job.Batch }},
	{"batch_host", 38, last, batchHost},
	{"billable_tres", 38, last, billable},
	{"cluster", 38, last, func(p *page) any { return p.job.Cluster }},
	{"comment", 38, last, func(p *page) any { return p.job.Comment }},
	{"cpus", 38, last, func(p *page) any { return p.num(int64(p.job.CPUs)) }},
	{"dependency", 38, last, func(p *page) any { return p.job.Dependency }},
	{"derived_exit_code", 38, last, exitCode},
	{"excluded_nodes", 38, last, func(p *page) any { return p.job.Excluded.Text }},
	{"exit_code", 38, last, exitCode},
	{"extra", 39, last, func(p *page) any { return p.job.Extra }},
	{"features", 38, last, func(p *page) any { return p.job.Features }},
	{"flags", 38, last, jobFlags},
	{"gres_detail", 38, last, func(p *page) any { return list(p.job.Gres) }},
	{"group_id", 38, last, func(p *page) any { return p.job.UserID }},
	{"group_name", 38, last, func(p *page) any { return p.job.User }},
	{"hold", 39, last, func(p *page) any { return p.job.Held }},
	{"job_id", 38, last, func(p *page) any { return p.job.ID }},
	{"job_resources", 38, last, resources},
	{"job_state", 38, last, func(p *page) any { return p.words(p.job.State, p.job.Flags) }},
	{"max_nodes", 38, last, func(p *page) any { return p.num(int64(p.job.MaxNodes)) }},
	{"memory_per_cpu", 38, last, func(p *page) any { return p.positive(p.job.MemPerCPU) }},
	{"memory_per_node", 38, last, func(p *page) any { return p.positive(p.job.MemPerNode) }},
	{"minimum_cpus_per_node", 38, last, func(p *page) any { return p.num(int64(p.job.CPUs / max(p.job.NodeCount, 1))) }},
	{"name", 38, last, func(p *page) any { return p.job.Name }},
	{"nice", 38, last, nice},
	{"node_count", 38, last, func(p *page) any { return p.num(int64(p.job.NodeCount)) }},
	{"nodes", 38, last, func(p *page) any { return p.job.Nodes.Text }},
	{"partition", 38, last, func(p *page) any { return p.job.Partition() }},
	{"priority", 38, last, func(p *page) any { return p.num(p.job.Priority) }},
	{"qos", 38, last, func(p *page) any { return p.job.QOS }},
	{"requeue", 38, last, func(p *page) any { return p.job.Requeue }},
	{"required_nodes", 38, last, func(p *page) any { return p.job.Required.Text }},
	{"restart_cnt", 38, last, func(p *page) any { return p.job.Restarts }},
	{"scheduled_nodes", 39, last, func(p *page) any { return p.job.Scheduled.Text }},
	{"state_reason", 38, last, func(p *page) any { return p.job.Reason }},
	{"step_id", 44, last, stepID},
	{"tasks", 38, last, func(p *page) any { return p.num(int64(p.job.NodeCount)) }},
	{"tres_alloc_str", 38, last, func(p *page) any { return p.job.Allocated }},
	{"tres_per_job", 38, last, func(p *page) any { return p.gres(p.job.PerJob) }},
	{"tres_per_node", 38, last, func(p *page) any { return p.gres(p.job.PerNode) }},
	{"tres_req_str", 38, last, func(p *page) any { return p.job.Request }},
	{"user_id", 38, last, func(p *page) any { return p.job.UserID }},
	{"user_name", 38, last, func(p *page) any { return p.job.User }},
}

var jobTimes = []field{
	{"accrue_time", 38, last, func(p *page) any { return p.at(p.job.Accrue) }},
	{"deadline", 38, last, func(p *page) any { return p.at(p.job.Deadline) }},
	{"eligible_time", 38, last, func(p *page) any { return p.at(p.job.Eligible) }},
	{"end_time", 38, last, func(p *page) any { return p.at(p.job.End) }},
	{"last_sched_evaluation", 38, last, func(p *page) any { return p.at(p.w.Changed()) }},
	{"start_time", 38, last, func(p *page) any { return p.at(p.job.Start) }},
	{"submit_time", 38, last, func(p *page) any { return p.at(p.job.Submit) }},
	{"time_limit", 38, last, func(p *page) any { return p.minutes(p.job.Limit) }},
}

func arrayTask(p *page) any {
	if !p.job.ArraySplit {
		return p.unset()
	}
	return p.num(p.job.ArrayTask)
}

func batchHost(p *page) any {
	if hosts := p.job.Nodes.Names; len(hosts) > 0 {
		return hosts[0]
	}
	return ""
}

func billable(p *page) any {
	if p.job.Pending() {
		if p.plain() {
			return nil
		}
		return sin(false, false, 0.0)
	}
	return p.num(int64(p.job.CPUs))
}

// nice is null in 22.05 unless it is above 0.
func nice(p *page) any {
	if p.plain() && p.job.Nice <= 0 {
		return nil
	}
	return p.job.Nice
}

func exitCode(p *page) any {
	code, word := 0, "SUCCESS"
	if p.job.State == "FAILED" {
		code, word = 1, "ERROR"
	}
	if p.plain() {
		return code << 8
	}
	return map[string]any{
		"status": []string{word}, "return_code": sin(true, false, code),
		"signal": map[string]any{"id": sin(false, false, 0), "name": ""},
	}
}

func jobFlags(p *page) any {
	flags := []string{}
	if p.job.Restarts > 0 || !p.job.Pending() {
		flags = append(flags, "JOB_WAS_RUNNING")
	}
	if p.v >= 40 {
		flags = append(flags, "USING_DEFAULT_WCKEY", "PARTITION_ASSIGNED")
	}
	return flags
}

// stepID carries the run's SLUID.
func stepID(p *page) any {
	return map[string]any{
		"sluid": p.job.SLUID, "job_id": sin(true, false, p.job.ID),
		"step_het_component": sin(false, false, 0), "step_id": "entire",
	}
}
