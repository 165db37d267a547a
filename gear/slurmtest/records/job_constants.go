package records

// jobConstants are the keys of a job record the world has nothing for.
var jobConstants = []constantKeys{
	{38, noLastVersion, emptyString, `batch_features burst_buffer burst_buffer_state cluster_features command container
		cpus_per_tres federation_origin federation_siblings_active federation_siblings_viable het_job_id_set
		licenses mcs_label memory_per_tres prefer resv_name state_description standard_error standard_input
		standard_output system_comment tres_bind tres_freq tres_per_socket tres_per_task wckey
		current_working_directory`},
	{39, noLastVersion, emptyString, `allocating_node container_id cron failed_node mail_user network selinux_context`},
	{43, noLastVersion, emptyString, `licenses_allocated stdin_expanded stdout_expanded stderr_expanded`},
	{44, noLastVersion, emptyString, `submit_line`},
	{45, noLastVersion, emptyString, `container_type`},
	{38, noLastVersion, falseValue, `contiguous reboot`},
	{39, 41, falseValue, `oversubscribe`},
	{38, noLastVersion, bareZero, `association_id sockets_per_board`},
	{39, noLastVersion, bareZero, `maximum_switch_wait_time`},
	{39, 41, bareZero, `minimum_switches`},
	{42, noLastVersion, bareZero, `required_switches`},
	{43, noLastVersion, bareZero, `segment_size`},
	{45, noLastVersion, bareZero, `memory_update_delay memory_update_margin`},
	{38, noLastVersion, zeroOrNull, `core_spec thread_spec`},
	{38, noLastVersion, zeroNumber, `delay_boot het_job_id het_job_offset max_cpus minimum_tmp_disk_per_node pre_sus_time
		preempt_time resize_time suspend_time tasks_per_board tasks_per_node time_minimum`},
	{39, noLastVersion, zeroNumber, `preemptable_time tasks_per_tres`},
	{38, noLastVersion, unsetNumber, `cores_per_socket cpu_frequency_governor cpu_frequency_maximum cpu_frequency_minimum
		cpus_per_task sockets_per_node threads_per_core`},
	{38, noLastVersion, unlimitedNumber, `tasks_per_core tasks_per_socket`},
	{39, noLastVersion, emptyList, `job_size_str mail_type`},
	{39, 41, emptyList, `exclusive`},
	{38, 41, emptyList, `show_flags`},
	{42, noLastVersion, emptyList, `priority_by_partition`},
	{39, 44, func(Version) any { return NewObject("flags", []string{}) }, `power`},
	{38, noLastVersion, func(v Version) any { return v.valueOrNull([]string{"NOT_SET"}) }, `profile`},
	{38, noLastVersion, func(v Version) any { return v.valueOrNull([]string{}) }, `shared`},
}
