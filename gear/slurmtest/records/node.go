package records

import (
	"strings"

	"fairbridge/bridge/slurm"
)

// nodeRecord is a node record in the making.
type nodeRecord struct {
	Version
	*slurm.Node
	encoder *Encoder
}

// nodeTable are all keys of a node record.
var nodeTable = newRecordTable(nodeConstants, nodeFields)

var nodeFields = []recordField[nodeRecord]{
	{"name", 38, noLastVersion, func(n nodeRecord) any { return n.Name }},
	{"address", 38, noLastVersion, func(n nodeRecord) any { return n.Name }},
	{"hostname", 38, noLastVersion, func(n nodeRecord) any { return n.Name }},
	{"state", 38, noLastVersion, nodeState},
	{"state_flags", 38, 38, func(n nodeRecord) any { return nonNilList(n.Flags) }},
	{"reason", 38, noLastVersion, func(n nodeRecord) any { return n.Reason }},
	{"gres", 38, noLastVersion, func(n nodeRecord) any { return n.Gres.Text }},
	{"gres_used", 38, noLastVersion, func(n nodeRecord) any { return n.GresUsed.Text }},
	{"tres", 38, noLastVersion, func(n nodeRecord) any { return n.TRES.Text }},
	{"tres_used", 38, noLastVersion, nodeTRESUsed},
	{"features", 38, noLastVersion, nodeFeatures},
	{"active_features", 38, noLastVersion, nodeFeatures},
	{"partitions", 38, noLastVersion, func(n nodeRecord) any { return nonNilList(n.Partitions) }},
	{"cpus", 38, noLastVersion, func(n nodeRecord) any { return n.CPUs }},
	{"alloc_cpus", 38, noLastVersion, func(n nodeRecord) any { return n.CPUsUsed }},
	{"idle_cpus", 38, 38, func(n nodeRecord) any { return n.CPUs - n.CPUsUsed }},
	{"alloc_idle_cpus", 39, noLastVersion, func(n nodeRecord) any { return n.CPUs - n.CPUsUsed }},
	{"effective_cpus", 39, noLastVersion, func(n nodeRecord) any { return n.CPUs }},
	{"cores", 38, noLastVersion, func(n nodeRecord) any { return n.CPUs / 2 }},
	{"real_memory", 38, noLastVersion, func(n nodeRecord) any { return n.MemMB }},
	{"alloc_memory", 38, noLastVersion, func(n nodeRecord) any { return n.MemUsedMB }},
	{"free_memory", 38, 38, func(n nodeRecord) any { return n.MemMB - n.MemUsedMB }},
	{"free_mem", 39, noLastVersion, func(n nodeRecord) any { return n.EncodeNumber(n.MemMB - n.MemUsedMB) }},
	{"topology", 43, noLastVersion, func(n nodeRecord) any { return n.Topology }},
	{"slurmd_version", 38, 38, func(n nodeRecord) any { return n.Node.Version }},
	{"version", 39, noLastVersion, func(n nodeRecord) any { return n.Node.Version }},
	{"boot_time", 38, noLastVersion, func(n nodeRecord) any { return n.EncodeTime(n.encoder.StartedAt) }},
	{"slurmd_start_time", 38, noLastVersion, func(n nodeRecord) any { return n.EncodeTime(n.encoder.StartedAt) }},
	{"last_busy", 38, noLastVersion, func(n nodeRecord) any { return n.EncodeTime(n.encoder.ChangedAt) }},
	{"tres_weighted", 38, 44, func(n nodeRecord) any { return float64(n.CPUsUsed) }},
}

var nodeConstants = []constantKeys{
	{38, noLastVersion, emptyString, `architecture burstbuffer_network_address comment extra mcs_label operating_system`},
	{39, noLastVersion, emptyString, `cluster_name specialized_cpus instance_id instance_type reservation`},
	{41, noLastVersion, emptyString, `gpu_spec`},
	{38, noLastVersion, bareZero, `cpu_binding cpu_load port temporary_disk`},
	{39, noLastVersion, bareZero, `specialized_cores specialized_memory`},
	{41, noLastVersion, bareZero, `res_cores_per_gpu`},
	{38, noLastVersion, zeroNumber, `reason_changed_at`},
	{39, noLastVersion, zeroNumber, `resume_after`},
	{43, noLastVersion, zeroNumber, `tls_cert_last_renewal`},
	{45, noLastVersion, infiniteNumber, `suspend_time`},
	{43, noLastVersion, emptyList, `cert_flags`},
	{38, 38, emptyList, `next_state_after_reboot_flags`},
	{39, 44, emptyObject, `external_sensors power`},
	{38, noLastVersion, fixedValue(1), `boards threads weight`},
	{38, noLastVersion, fixedValue(2), `sockets`},
	{38, noLastVersion, fixedValue("N/A"), `gres_drained`},
	{38, noLastVersion, emptyStringOrNull, `owner reason_set_by_user`},
	{39, noLastVersion, nodeEnergy, `energy`},
	{38, 38, fixedValue("invalid"), `next_state_after_reboot`},
	{39, noLastVersion, fixedValue([]string{"INVALID"}), `next_state_after_reboot`},
}

func nodeState(n nodeRecord) any {
	if n.hasBareNumbers() {
		return strings.ToLower(n.State)
	}
	return append([]string{n.State}, n.Flags...)
}

// nodeTRESUsed is null on an idle node of 22.05.
func nodeTRESUsed(n nodeRecord) any {
	if n.hasBareNumbers() && n.TRESUsed.Text == "" {
		return nil
	}
	return n.TRESUsed.Text
}

func nodeFeatures(n nodeRecord) any {
	if n.hasBareNumbers() {
		return strings.Join(n.Features, ",")
	}
	return nonNilList(n.Features)
}

func nodeEnergy(Version) any {
	return map[string]any{
		"average_watts": 0, "base_consumed_energy": 0, "consumed_energy": 0, "current_watts": WrapNumber(true, false, 0),
		"previous_consumed_energy": 0, "last_collected": 0,
	}
}

// recordField is one key of a record and the versions that have it. makeValue makes it
// from the record, or without one where the same stands in all.
type recordField[R any] struct {
	name                   string
	fromVersion, toVersion Version
	makeValue              func(R) any
}

// constantKeys are keys, separated by spaces, whose value depends on the version
// alone: the simulated cluster knows nothing of them.
type constantKeys struct {
	fromVersion, toVersion Version
	makeValue              func(Version) any
	keys                   string
}

// recordTable is all that a kind of record has.
type recordTable[R any] struct {
	fields    []recordField[R]
	constants []recordField[Version]
}

// newRecordTable puts the keys of a kind of record together.
func newRecordTable[R any](constants []constantKeys, fields ...[]recordField[R]) recordTable[R] {
	var t recordTable[R]
	for _, list := range fields {
		t.fields = append(t.fields, list...)
	}
	for _, c := range constants {
		for _, key := range strings.Fields(c.keys) {
			t.constants = append(t.constants, recordField[Version]{key, c.fromVersion, c.toVersion, c.makeValue})
		}
	}
	return t
}

// encodeRecord makes the record with all keys that the version has.
func (t recordTable[R]) encodeRecord(v Version, record R) map[string]any {
	out := make(map[string]any, len(t.fields)+len(t.constants))
	setFields(out, t.constants, v, v)
	setFields(out, t.fields, v, record)
	return out
}

func setFields[R any](out map[string]any, fields []recordField[R], v Version, record R) {
	for i := range fields {
		if f := &fields[i]; v >= f.fromVersion && v <= f.toVersion {
			out[f.name] = f.makeValue(record)
		}
	}
}

// The values of keys the simulated cluster knows nothing of.
func emptyString(Version) any { return "" }

func falseValue(Version) any { return false }

func bareZero(Version) any { return 0 }

func emptyList(Version) any { return []string{} }

func emptyObject(Version) any { return map[string]any{} }

func nullValue(Version) any { return nil }

func infiniteNumber(Version) any { return WrapNumber(false, true, 0) }

func unsetNumber(v Version) any { return v.unsetNumber() }

func unlimitedNumber(v Version) any { return v.unlimitedNumber() }

func zeroNumber(v Version) any { return v.EncodeNumber(0) }

func zeroOrNull(v Version) any { return v.valueOrNull(0) }

func emptyStringOrNull(v Version) any { return v.valueOrNull("") }

// fixedValue is a value that no version changes.
func fixedValue(value any) func(Version) any { return func(Version) any { return value } }

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
