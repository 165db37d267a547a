package records

import (
	"strings"

	"fairbridge/bridge/slurm"
)

// node is a node record in the making.
type node struct {
	Version
	*slurm.Node
	enc *Encoder
}

// nodeTable are all keys of a node record.
var nodeTable = newTable(nodeConstants, nodeFields)

var nodeFields = []field[node]{
	{"name", 38, newestVersion, func(n node) any { return n.Name }},
	{"address", 38, newestVersion, func(n node) any { return n.Name }},
	{"hostname", 38, newestVersion, func(n node) any { return n.Name }},
	{"state", 38, newestVersion, nodeState},
	{"state_flags", 38, 38, func(n node) any { return orEmpty(n.Flags) }},
	{"reason", 38, newestVersion, func(n node) any { return n.Reason }},
	{"gres", 38, newestVersion, func(n node) any { return n.Gres.Text }},
	{"gres_used", 38, newestVersion, func(n node) any { return n.GresUsed.Text }},
	{"tres", 38, newestVersion, func(n node) any { return n.TRES.Text }},
	{"tres_used", 38, newestVersion, tresUsed},
	{"features", 38, newestVersion, nodeFeatures},
	{"active_features", 38, newestVersion, nodeFeatures},
	{"partitions", 38, newestVersion, func(n node) any { return orEmpty(n.Partitions) }},
	{"cpus", 38, newestVersion, func(n node) any { return n.CPUs }},
	{"alloc_cpus", 38, newestVersion, func(n node) any { return n.CPUsUsed }},
	{"idle_cpus", 38, 38, func(n node) any { return n.CPUs - n.CPUsUsed }},
	{"alloc_idle_cpus", 39, newestVersion, func(n node) any { return n.CPUs - n.CPUsUsed }},
	{"effective_cpus", 39, newestVersion, func(n node) any { return n.CPUs }},
	{"cores", 38, newestVersion, func(n node) any { return n.CPUs / 2 }},
	{"real_memory", 38, newestVersion, func(n node) any { return n.MemMB }},
	{"alloc_memory", 38, newestVersion, func(n node) any { return n.MemUsedMB }},
	{"free_memory", 38, 38, func(n node) any { return n.MemMB - n.MemUsedMB }},
	{"free_mem", 39, newestVersion, func(n node) any { return n.Number(n.MemMB - n.MemUsedMB) }},
	{"topology", 43, newestVersion, func(n node) any { return n.Topology }},
	{"slurmd_version", 38, 38, func(n node) any { return n.Node.Version }},
	{"version", 39, newestVersion, func(n node) any { return n.Node.Version }},
	{"boot_time", 38, newestVersion, func(n node) any { return n.Time(n.enc.Started) }},
	{"slurmd_start_time", 38, newestVersion, func(n node) any { return n.Time(n.enc.Started) }},
	{"last_busy", 38, newestVersion, func(n node) any { return n.Time(n.enc.Changed) }},
	{"tres_weighted", 38, 44, func(n node) any { return float64(n.CPUsUsed) }},
}

var nodeConstants = []constant{
	{38, newestVersion, noneWord, `architecture burstbuffer_network_address comment extra mcs_label operating_system`},
	{39, newestVersion, noneWord, `cluster_name specialized_cpus instance_id instance_type reservation`},
	{41, newestVersion, noneWord, `gpu_spec`},
	{38, newestVersion, zeroValue, `cpu_binding cpu_load port temporary_disk`},
	{39, newestVersion, zeroValue, `specialized_cores specialized_memory`},
	{41, newestVersion, zeroValue, `res_cores_per_gpu`},
	{38, newestVersion, zeroNumber, `reason_changed_at`},
	{39, newestVersion, zeroNumber, `resume_after`},
	{43, newestVersion, zeroNumber, `tls_cert_last_renewal`},
	{45, newestVersion, infiniteNumber, `suspend_time`},
	{43, newestVersion, emptyText, `cert_flags`},
	{38, 38, emptyText, `next_state_after_reboot_flags`},
	{39, 44, emptyObject, `external_sensors power`},
	{38, newestVersion, constantValue(1), `boards threads weight`},
	{38, newestVersion, constantValue(2), `sockets`},
	{38, newestVersion, constantValue("N/A"), `gres_drained`},
	{38, newestVersion, noneOrNull, `owner reason_set_by_user`},
	{39, newestVersion, nodeEnergy, `energy`},
	{38, 38, constantValue("invalid"), `next_state_after_reboot`},
	{39, newestVersion, constantValue([]string{"INVALID"}), `next_state_after_reboot`},
}

func nodeState(n node) any {
	if n.isPlain() {
		return strings.ToLower(n.State)
	}
	return append([]string{n.State}, n.Flags...)
}

// tresUsed is null on an idle node of 22.05.
func tresUsed(n node) any {
	if n.isPlain() && n.TRESUsed.Text == "" {
		return nil
	}
	return n.TRESUsed.Text
}

func nodeFeatures(n node) any {
	if n.isPlain() {
		return strings.Join(n.Features, ",")
	}
	return orEmpty(n.Features)
}

func nodeEnergy(Version) any {
	return map[string]any{
		"average_watts": 0, "base_consumed_energy": 0, "consumed_energy": 0, "current_watts": Wrapped(true, false, 0),
		"previous_consumed_energy": 0, "last_collected": 0,
	}
}
