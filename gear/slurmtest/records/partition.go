package records

import (
	"fmt"
	"slices"

	"fairbridge/bridge/slurm"
)

// partitionRecord is a partition record in the making.
type partitionRecord struct {
	Version
	*slurm.Partition
	isDefault bool         // it is the default
	nodes     []slurm.Node // those in it
}

func newPartitionRecord(v Version, p *slurm.Partition, first bool, nodes []slurm.Node) partitionRecord {
	out := partitionRecord{Version: v, Partition: p, isDefault: first}
	for i := range nodes {
		if slices.Contains(nodes[i].Partitions, p.Name) {
			out.nodes = append(out.nodes, nodes[i])
		}
	}
	return out
}

// partitionTable are all keys of a partition record: 22.05 has a flat one,
// later releases nest it.
var partitionTable = newRecordTable(
	[]constantKeys{
		{38, 38, emptyString, `allowed_allocation_nodes alternative billing_weights
			allowed_groups qos`},
		{38, 38, bareZero, `default_memory_per_cpu preemption_grace_time`},
		{38, 38, nullValue, `default_memory_per_node default_time_limit maximum_memory_per_cpu
			maximum_memory_per_node over_time_limit`},
		{38, 38, fixedValue(-1), `maximum_cpus_per_node maximum_nodes_per_job`},
		{38, 38, fixedValue([]string{"disabled"}), `preemption_mode`},
		{38, 38, fixedValue(1), `priority_job_factor`},
		{39, noLastVersion, emptyString, `alternate cluster node_sets`},
		{39, noLastVersion, bareZero, `grace_time`},
		{39, noLastVersion, partitionDefaults, `defaults`},
		{39, noLastVersion, fixedValue(NewObject("allowed", "")), `groups`},
		{39, noLastVersion, fixedValue(NewObject("nodes", 0)), `minimums`},
		{45, noLastVersion, fixedValue([]string{"CLUSTER_GLOBAL"}), `preempt_mode`},
		{41, noLastVersion, emptyList, `select_type`},
		{39, noLastVersion, unsetNumber, `suspend_time`},
		{39, noLastVersion, func(v Version) any { return NewObject("resume", v.unsetNumber(), "suspend", v.unsetNumber()) }, `timeouts`},
		{43, noLastVersion, emptyString, `topology`},
	},
	[]recordField[partitionRecord]{
		{"allowed_accounts", 38, 38, func(p partitionRecord) any { return joinByComma(p.AllowedAccounts) }},
		{"allowed_qos", 38, 38, func(p partitionRecord) any { return joinByComma(p.AllowedQOS) }},
		{"denied_accounts", 38, 38, func(p partitionRecord) any { return joinByComma(p.DeniedAccounts) }},
		{"denied_qos", 38, 38, func(p partitionRecord) any { return joinByComma(p.DeniedQOS) }},
		{"flags", 38, 38, func(p partitionRecord) any { return p.flags("default") }},
		{"max_time_limit", 38, 38, func(p partitionRecord) any { return p.EncodeNumberOrUnset(p.MaxTimeMinutes) }},
		{"name", 38, noLastVersion, func(p partitionRecord) any { return p.Name }},
		{"nodes", 38, 38, func(p partitionRecord) any { return p.Nodes.Text }},
		{"priority_tier", 38, 38, func(p partitionRecord) any { return p.PriorityTier }},
		{"state", 38, 38, func(p partitionRecord) any { return p.stateWord() }},
		{"total_cpus", 38, 38, func(p partitionRecord) any { return p.cpuCount() }},
		{"total_nodes", 38, 38, func(p partitionRecord) any { return len(p.nodes) }},
		{"tres", 38, 38, func(p partitionRecord) any { return p.tresText() }},
		{"min nodes per job", 38, 38, func(partitionRecord) any { return 0 }}, // with blanks, in 22.05
	},
	[]recordField[partitionRecord]{
		{"accounts", 39, noLastVersion, func(p partitionRecord) any {
			return NewObject("allowed", joinByComma(p.AllowedAccounts), "deny", joinByComma(p.DeniedAccounts))
		}},
		{"cpus", 39, noLastVersion, partitionCPUs},
		{"flags", 45, noLastVersion, func(p partitionRecord) any { return p.flags("DEFAULT") }},
		{"maximums", 39, noLastVersion, partitionMaximums},
		{"nodes", 39, noLastVersion, func(p partitionRecord) any {
			return NewObject("allowed_allocation", "", "configured", p.Nodes.Text, "total", len(p.nodes))
		}},
		{"partition", 39, noLastVersion, partitionState},
		{"priority", 39, noLastVersion, func(p partitionRecord) any { return NewObject("job_factor", 1, "tier", p.PriorityTier) }},
		{"qos", 39, noLastVersion, func(p partitionRecord) any {
			return NewObject("allowed", joinByComma(p.AllowedQOS), "deny", joinByComma(p.DeniedQOS), "assigned", "")
		}},
		{"tres", 39, noLastVersion, func(p partitionRecord) any { return NewObject("billing_weights", "", "configured", p.tresText()) }},
	},
)

func partitionCPUs(p partitionRecord) any {
	var binding any = 0
	if p.Version >= 45 {
		binding = []string{}
	}
	return NewObject("task_binding", binding, "total", p.cpuCount())
}

func partitionDefaults(v Version) any {
	return NewObject("memory_per_cpu", 0, "partition_memory_per_cpu", v.unsetNumber(), "partition_memory_per_node", v.unsetNumber(),
		"time", v.unsetNumber(), "job", "")
}

func partitionMaximums(p partitionRecord) any {
	limit := p.unlimitedNumber()
	if p.MaxTimeMinutes > 0 {
		limit = p.EncodeNumber(p.MaxTimeMinutes)
	}
	return NewObject("cpus_per_node", p.unlimitedNumber(), "cpus_per_socket", p.unlimitedNumber(), "memory_per_cpu", 0,
		"partition_memory_per_cpu", p.unsetNumber(), "partition_memory_per_node", p.EncodeNumber(0), "nodes", p.unlimitedNumber(),
		"shares", 1, "oversubscribe", NewObject("jobs", 1, "flags", []string{}), "time", limit, "over_time_limit", p.unsetNumber())
}

func partitionState(p partitionRecord) any {
	if p.Version >= 45 {
		return NewObject("exclusive", "NO", "oversubscribe", "NO", "state", []string{p.stateWord()})
	}
	return NewObject("state", []string{p.stateWord()})
}

func (p partitionRecord) stateWord() string {
	return p.State
}

// flags marks the default.
func (p partitionRecord) flags(word string) []string {
	if p.isDefault {
		return []string{word}
	}
	return []string{}
}

func (p partitionRecord) cpuCount() int {
	n := 0
	for i := range p.nodes {
		n += p.nodes[i].CPUs
	}
	return n
}

// tresText sums up what the partition's nodes have.
func (p partitionRecord) tresText() string {
	var mem int64
	gpus := 0
	for i := range p.nodes {
		mem += p.nodes[i].MemMB
		for _, g := range p.nodes[i].Gres.List {
			gpus += g.Count
		}
	}
	return fmt.Sprintf("cpu=%d,mem=%dM,node=%d,billing=%d,gres/gpu=%d", p.cpuCount(), mem, len(p.nodes), p.cpuCount(), gpus)
}
