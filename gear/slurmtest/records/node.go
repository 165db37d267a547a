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
