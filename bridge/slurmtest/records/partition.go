package records

import (
	"fmt"
	"slices"

	"fairbridge/bridge/slurm"
)

// partition is a partition record in the making.
type partition struct {
	Version
	*slurm.Partition
	first bool         // it is the default
	nodes []slurm.Node // those in it
}

func newPartition(v Version, p *slurm.Partition, first bool, nodes []slurm.Node) partition {
	out := partition{Version: v, Partition: p, first: first}
	for i := range nodes {
		if slices.Contains(nodes[i].Partitions, p.Name) {
			out.nodes = append(out.nodes, nodes[i])
		}
	}
	return out
}

// partitionTable are all keys of a partition record: 22.05 has a flat one,
// later releases nest it.
var partitionTable = newTable(
	[]constant{
		{38, 38, noneWord, `allowed_allocation_nodes alternative billing_weights denied_accounts denied_qos
			allowed_groups qos`},
		{38, 38, zeroValue, `default_memory_per_cpu preemption_grace_time`},
		{38, 38, nullValue, `default_memory_per_node default_time_limit maximum_memory_per_cpu
			maximum_memory_per_node over_time_limit`},
		{38, 38, constantValue(-1), `maximum_cpus_per_node maximum_nodes_per_job`},
		{38, 38, constantValue([]string{"disabled"}), `preemption_mode`},
		{38, 38, constantValue(1), `priority_job_factor`},
		{39, newestVersion, noneWord, `alternate cluster node_sets`},
		{39, newestVersion, zeroValue, `grace_time`},
		{39, newestVersion, partitionDefaults, `defaults`},
		{39, newestVersion, constantValue(Object("allowed", "")), `groups`},
		{39, newestVersion, constantValue(Object("nodes", 0)), `minimums`},
		{45, newestVersion, constantValue([]string{"CLUSTER_GLOBAL"}), `preempt_mode`},
		{41, newestVersion, emptyText, `select_type`},
		{39, newestVersion, unsetNumber, `suspend_time`},
		{39, newestVersion, func(v Version) any { return Object("resume", v.unset(), "suspend", v.unset()) }, `timeouts`},
		{43, newestVersion, noneWord, `topology`},
	},
	[]field[partition]{
		{"allowed_accounts", 38, 38, func(p partition) any { return commaList(p.AllowedAccounts) }},
		{"allowed_qos", 38, 38, func(p partition) any { return commaList(p.AllowedQOS) }},
		{"flags", 38, 38, func(p partition) any { return p.flags("default") }},
		{"max_time_limit", 38, 38, func(p partition) any { return p.NumberOrUnset(p.MaxTimeMinutes) }},
		{"name", 38, newestVersion, func(p partition) any { return p.Name }},
		{"nodes", 38, 38, func(p partition) any { return p.Nodes.Text }},
		{"priority_tier", 38, 38, func(p partition) any { return p.PriorityTier }},
		{"state", 38, 38, func(p partition) any { return p.upDown() }},
		{"total_cpus", 38, 38, func(p partition) any { return p.cpus() }},
		{"total_nodes", 38, 38, func(p partition) any { return len(p.nodes) }},
		{"tres", 38, 38, func(p partition) any { return p.tres() }},
		{"min nodes per job", 38, 38, func(partition) any { return 0 }}, // with blanks, in 22.05
	},
	[]field[partition]{
		{"accounts", 39, newestVersion, func(p partition) any { return Object("allowed", commaList(p.AllowedAccounts), "deny", "") }},
		{"cpus", 39, newestVersion, partitionCPUs},
		{"flags", 45, newestVersion, func(p partition) any { return p.flags("DEFAULT") }},
		{"maximums", 39, newestVersion, partitionMaximums},
		{"nodes", 39, newestVersion, func(p partition) any {
			return Object("allowed_allocation", "", "configured", p.Nodes.Text, "total", len(p.nodes))
		}},
		{"partition", 39, newestVersion, partitionState},
		{"priority", 39, newestVersion, func(p partition) any { return Object("job_factor", 1, "tier", p.PriorityTier) }},
		{"qos", 39, newestVersion, func(p partition) any { return Object("allowed", commaList(p.AllowedQOS), "deny", "", "assigned", "") }},
		{"tres", 39, newestVersion, func(p partition) any { return Object("billing_weights", "", "configured", p.tres()) }},
	},
)

func partitionCPUs(p partition) any {
	var binding any = 0
	if p.Version >= 45 {
		binding = []string{}
	}
	return Object("task_binding", binding, "total", p.cpus())
}

func partitionDefaults(v Version) any {
	return Object("memory_per_cpu", 0, "partition_memory_per_cpu", v.unset(), "partition_memory_per_node", v.unset(),
		"time", v.unset(), "job", "")
}

func partitionMaximums(p partition) any {
	limit := p.unlimited()
	if p.MaxTimeMinutes > 0 {
		limit = p.Number(p.MaxTimeMinutes)
	}
	return Object("cpus_per_node", p.unlimited(), "cpus_per_socket", p.unlimited(), "memory_per_cpu", 0,
		"partition_memory_per_cpu", p.unset(), "partition_memory_per_node", p.Number(0), "nodes", p.unlimited(),
		"shares", 1, "oversubscribe", Object("jobs", 1, "flags", []string{}), "time", limit, "over_time_limit", p.unset())
}

func partitionState(p partition) any {
	if p.Version >= 45 {
		return Object("exclusive", "NO", "oversubscribe", "NO", "state", []string{p.upDown()})
	}
	return Object("state", []string{p.upDown()})
}

func (p partition) upDown() string {
	if p.IsUp {
		return "UP"
	}
	return "DOWN"
}

// flags marks the default.
func (p partition) flags(word string) []string {
	if p.first {
		return []string{word}
	}
	return []string{}
}

func (p partition) cpus() int {
	n := 0
	for i := range p.nodes {
		n += p.nodes[i].CPUs
	}
	return n
}

// tres sums up what the partition's nodes have.
func (p partition) tres() string {
	var mem int64
	gpus := 0
	for i := range p.nodes {
		mem += p.nodes[i].MemMB
		for _, g := range p.nodes[i].Gres.List {
			gpus += g.Count
		}
	}
	return fmt.Sprintf("cpu=%d,mem=%dM,node=%d,billing=%d,gres/gpu=%d", p.cpus(), mem, len(p.nodes), p.cpus(), gpus)
}
