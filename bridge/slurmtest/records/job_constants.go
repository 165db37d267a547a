package records

// jobConstants are the keys of a job record the world has nothing for.
var jobConstants = []constant{
	{38, newestVersion, noneWord, `batch_features burst_buffer burst_buffer_state cluster_features command container
		cpus_per_tres federation_origin federation_siblings_active federation_siblings_viable het_job_id_set
		licenses mcs_label memory_per_tres prefer resv_name state_description standard_error standard_input
		standard_output system_comment tres_bind tres_freq tres_per_socket tres_per_task wckey
		current_working_directory`},
	{39, newestVersion, noneWord, `allocating_node container_id cron failed_node mail_user network selinux_context`},
	{43, newestVersion, noneWord, `licenses_allocated stdin_expanded stdout_expanded stderr_expanded`},
	{44, newestVersion, noneWord, `submit_line`},
	{45, newestVersion, noneWord, `container_type`},
	{38, newestVersion, falseValue, `contiguous reboot`},
	{39, 41, falseValue, `oversubscribe`},
	{38, newestVersion, zeroValue, `association_id sockets_per_board`},
	{39, newestVersion, zeroValue, `maximum_switch_wait_time`},
	{39, 41, zeroValue, `minimum_switches`},
	{42, newestVersion, zeroValue, `required_switches`},
	{43, newestVersion, zeroValue, `segment_size`},
	{45, newestVersion, zeroValue, `memory_update_delay memory_update_margin`},
	{38, newestVersion, zeroOrNull, `core_spec thread_spec`},
	{38, newestVersion, zeroNumber, `delay_boot het_job_id het_job_offset max_cpus minimum_tmp_disk_per_node pre_sus_time
		preempt_time resize_time suspend_time tasks_per_board tasks_per_node time_minimum`},
	{39, newestVersion, zeroNumber, `preemptable_time tasks_per_tres`},
	{38, newestVersion, unsetNumber, `cores_per_socket cpu_frequency_governor cpu_frequency_maximum cpu_frequency_minimum
		cpus_per_task sockets_per_node threads_per_core`},
	{38, newestVersion, unlimitedNumber, `tasks_per_core tasks_per_socket`},
	{39, newestVersion, emptyText, `job_size_str mail_type`},
	{39, 41, emptyText, `exclusive`},
	{38, 41, emptyText, `show_flags`},
	{42, newestVersion, emptyText, `priority_by_partition`},
	{39, 44, func(Version) any { return Object("flags", []string{}) }, `power`},
	{38, newestVersion, func(v Version) any { return v.orNull([]string{"NOT_SET"}) }, `profile`},
	{38, newestVersion, func(v Version) any { return v.orNull([]string{}) }, `shared`},
}
