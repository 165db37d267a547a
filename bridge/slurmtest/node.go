package slurmtest

import (
	"strings"
)

// nodeFields are all keys of a node record.
var nodeFields = join(nodeKnown, nodeFixed)

var nodeKnown = []field{
	{"name", 38, last, func(p *page) any { return p.node.Name }},
	{"address", 38, last, func(p *page) any { return p.node.Name }},
	{"hostname", 38, last, func(p *page) any { return p.node.Name }},
	{"state", 38, last, nodeState},
	{"state_flags", 38, 38, func(p *page) any { return list(p.node.Flags) }},
	{"reason", 38, last, func(p *page) any { return p.node.Reason }},
	{"gres", 38, last, func(p *page) any { return p.node.Gres }},
	{"gres_used", 38, last, func(p *page) any { return p.node.GresUsed }},
	{"tres", 38, last, func(p *page) any { return p.node.TRES }},
	{"tres_used", 38, last, tresUsed},
	{"features", 38, last, features},
	{"active_features", 38, last, features},
	{"partitions", 38, last, func(p *page) any { return list(p.node.Partitions) }},
	{"cpus", 38, last, func(p *page) any { return p.node.CPUs }},
	{"alloc_cpus", 38, last, func(p *page) any { return p.node.CPUsUsed }},
	{"idle_cpus", 38, 38, func(p *page) any { return p.node.CPUs - p.node.CPUsUsed }},
	{"alloc_idle_cpus", 39, last, func(p *page) any { return p.node.CPUs - p.node.CPUsUsed }},
	{"effective_cpus", 39, last, func(p *page) any { return p.node.CPUs }},
	{"cores", 38, last, func(p *page) any { return p.node.CPUs / 2 }},
	{"real_memory", 38, last, func(p *page) any { return p.node.MemMB }},
	{"alloc_memory", 38, last, func(p *page) any { return p.node.MemUsedMB }},
	{"free_memory", 38, 38, func(p *page) any { return p.node.MemMB - p.node.MemUsedMB }},
	{"free_mem", 39, last, func(p *page) any { return p.num(p.node.MemMB - p.node.MemUsedMB) }},
	{"topology", 43, last, func(p *page) any { return p.node.Topology }},
	{"slurmd_version", 38, 38, func(p *page) any { return p.node.Version }},
	{"version", 39, last, func(p *page) any { return p.node.Version }},
	{"boot_time", 38, last, func(p *page) any { return p.at(p.w.Started()) }},
	{"slurmd_start_time", 38, last, func(p *page) any { return p.at(p.w.Started()) }},
	{"last_busy", 38, last, func(p *page) any { return p.at(p.w.Changed()) }},
	{"tres_weighted", 38, 44, func(p *page) any { return float64(p.node.CPUsUsed) }},
}

var nodeFixed = join(
	same(38, last, none, `architecture burstbuffer_network_address comment extra mcs_label operating_system`),
	same(39, last, none, `cluster_name specialized_cpus instance_id instance_type reservation`),
	same(41, last, none, `gpu_spec`),
	same(38, last, zero, `cpu_binding cpu_load port temporary_disk`),
	same(39, last, zero, `specialized_cores specialized_memory`),
	same(41, last, zero, `res_cores_per_gpu`),
	same(38, last, zeroNum, `reason_changed_at`),
	same(39, last, zeroNum, `resume_after`),
	same(43, last, zeroNum, `tls_cert_last_renewal`),
	same(45, last, infinite, `suspend_time`),
	same(43, last, empty, `cert_flags`),
	same(38, 38, empty, `next_state_after_reboot_flags`),
	same(39, 44, func(*page) any { return map[string]any{} }, `external_sensors power`),
	same(38, last, func(*page) any { return 1 }, `boards threads weight`),
	same(38, last, func(*page) any { return 2 }, `sockets`),
	same(38, last, func(*page) any { return "N/A" }, `gres_drained`),
	same(38, last, func(p *page) any {
		if p.plain() {
			return nil
		}
		return ""
	}, `owner reason_set_by_user`),
	[]field{
		{"energy", 39, last, energy},
		{"next_state_after_reboot", 38, last, func(p *page) any {
			if p.plain() {
				return "invalid"
			}
			return []string{"INVALID"}
		}},
	},
)

func nodeState(p *page) any {
	if p.plain() {
		return strings.ToLower(p.node.State)
	}
	return append([]string{p.node.State}, p.node.Flags...)
}

// tresUsed is null on an idle node of 22.05.
func tresUsed(p *page) any {
	if p.plain() && p.node.TRESUsed == "" {
		return nil
	}
	return p.node.TRESUsed
}

func features(p *page) any {
	if p.plain() {
		return strings.Join(p.node.Features, ",")
	}
	return list(p.node.Features)
}

func energy(*page) any {
	return map[string]any{
		"average_watts": 0, "base_consumed_energy": 0, "consumed_energy": 0, "current_watts": sin(true, false, 0),
		"previous_consumed_energy": 0, "last_collected": 0,
	}
}
