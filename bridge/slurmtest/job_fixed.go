package slurmtest

// jobFixed are the keys of a job record the world has nothing for.
var jobFixed = join(
	same(38, last, none, `batch_features burst_buffer burst_buffer_state cluster_features command container
		cpus_per_tres federation_origin federation_siblings_active federation_siblings_viable het_job_id_set
		licenses mcs_label memory_per_tres prefer resv_name state_description standard_error standard_input
		standard_output system_comment tres_bind tres_freq tres_per_socket tres_per_task wckey
		current_working_directory`),
	same(39, last, none, `allocating_node container_id cron failed_node mail_user network selinux_context`),
	same(43, last, none, `licenses_allocated stdin_expanded stdout_expanded stderr_expanded`),
	same(44, last, none, `submit_line`),
	same(45, last, none, `container_type`),
	same(38, last, no, `contiguous reboot`),
	same(39, 41, no, `oversubscribe`),
	same(38, last, zero, `association_id sockets_per_board`),
	same(39, last, zero, `maximum_switch_wait_time`),
	same(39, 41, zero, `minimum_switches`),
	same(42, last, zero, `required_switches`),
	same(43, last, zero, `segment_size`),
	same(45, last, zero, `memory_update_delay memory_update_margin`),
	same(38, last, nullOrZero, `core_spec thread_spec`),
	same(38, last, zeroNum, `delay_boot het_job_id het_job_offset max_cpus minimum_tmp_disk_per_node pre_sus_time
		preempt_time resize_time suspend_time tasks_per_board tasks_per_node time_minimum`),
	same(39, last, zeroNum, `preemptable_time tasks_per_tres`),
	same(38, last, nothing, `cores_per_socket cpu_frequency_governor cpu_frequency_maximum cpu_frequency_minimum
		cpus_per_task sockets_per_node threads_per_core`),
	same(38, last, boundless, `tasks_per_core tasks_per_socket`),
	same(39, last, empty, `job_size_str mail_type`),
	same(39, 41, empty, `exclusive`),
	same(38, 41, empty, `show_flags`),
	same(42, last, empty, `priority_by_partition`),
	[]field{
		{"power", 39, 44, func(*page) any { return map[string]any{"flags": []string{}} }},
		{"profile", 38, last, func(p *page) any { return p.nullOr([]string{"NOT_SET"}) }},
		{"shared", 38, last, func(p *page) any { return p.nullOr([]string{}) }},
	},
)

// nullOr is null in 22.05.
func (p *page) nullOr(v any) any {
	if p.plain() {
		return nil
	}
	return v
}

// resources is job_resources of a job that holds some: host names and counts,
// without the map of every core.
func resources(p *page) any {
	j := p.job
	hosts := j.Nodes.Names
	switch {
	case (len(hosts) == 0 || !j.Running()) && (p.v <= 38 || p.v >= 41):
		return nil
	case p.v <= 40:
		return oldResources(p, hosts)
	}
	each := j.CPUs / max(len(hosts), 1)
	var nodes []any
	for i, h := range hosts {
		nodes = append(nodes, map[string]any{
			"index": i, "name": h, "cpus": map[string]any{"count": each, "used": 0},
			"memory":  map[string]any{"used": 0, "allocated": j.MemPerNode},
			"sockets": []any{},
		})
	}
	return map[string]any{
		"select_type": []string{"CR_CORE_MEMORY"}, "cpus": j.CPUs, "threads_per_core": sin(false, false, 0),
		"nodes": map[string]any{
			"count": len(hosts), "select_type": []string{"ONE_ROW"}, "list": j.Nodes.Text, "whole": j.Exclusive,
			"allocation": nodes,
		},
	}
}

func oldResources(p *page, hosts []string) any {
	j := p.job
	if !j.Running() {
		hosts = nil
	}
	nodes := []any{}
	for _, h := range hosts {
		nodes = append(nodes, map[string]any{
			"nodename": h, "cpus_used": 0, "memory_used": 0, "memory_allocated": j.MemPerNode,
			"sockets": map[string]any{},
		})
	}
	out := map[string]any{
		"nodes": j.Nodes.Text, "allocated_cores": j.CPUs, "allocated_hosts": len(hosts), "allocated_nodes": nodes,
	}
	if p.v >= 39 {
		out["allocated_cpus"] = 0
	}
	return out
}
