package slurmtest

import (
	"fmt"
	"slices"
	"strings"
)

// partitionOld are the keys of a partition in 22.05, partitionNew those of
// later releases.
var partitionOld = join(
	same(38, 38, none, `allowed_allocation_nodes alternative billing_weights denied_accounts denied_qos
		allowed_groups qos`),
	same(38, 38, zero, `default_memory_per_cpu preemption_grace_time`),
	same(38, 38, func(*page) any { return nil }, `default_memory_per_node default_time_limit maximum_memory_per_cpu
		maximum_memory_per_node over_time_limit`),
	same(38, 38, func(*page) any { return -1 }, `maximum_cpus_per_node maximum_nodes_per_job`),
	[]field{
		{"allowed_accounts", 38, 38, func(p *page) any { return p.part.Accounts }},
		{"allowed_qos", 38, 38, func(p *page) any { return p.part.QOS }},
		{"flags", 38, 38, func(p *page) any { return p.flags("default") }},
		{"max_time_limit", 38, 38, func(p *page) any { return p.positive(p.part.MaxTime) }},
		{"min nodes per job", 38, 38, zero},
		{"name", 38, last, func(p *page) any { return p.part.Name }},
		{"nodes", 38, 38, func(p *page) any { return p.part.Nodes.Text }},
		{"preemption_mode", 38, 38, func(*page) any { return []string{"disabled"} }},
		{"priority_job_factor", 38, 38, func(*page) any { return 1 }},
		{"priority_tier", 38, 38, func(p *page) any { return p.part.Tier }},
		{"state", 38, 38, func(p *page) any { return p.upDown() }},
		{"total_cpus", 38, 38, func(p *page) any { return p.cpus() }},
		{"total_nodes", 38, 38, func(p *page) any { return len(p.members()) }},
		{"tres", 38, 38, func(p *page) any { return p.tres() }},
	},
)

var partitionNew = join(
	same(39, last, none, `alternate cluster`),
	same(39, last, zero, `grace_time`),
	[]field{
		{"accounts", 39, last, func(p *page) any { return obj("allowed", p.part.Accounts, "deny", "") }},
		{"cpus", 39, last, partitionCPUs},
		{"defaults", 39, last, partitionDefaults},
		{"flags", 45, last, func(p *page) any { return p.flags("DEFAULT") }},
		{"groups", 39, last, func(*page) any { return obj("allowed", "") }},
		{"maximums", 39, last, partitionMaximums},
		{"minimums", 39, last, func(*page) any { return obj("nodes", 0) }},
		{"node_sets", 39, last, none},
		{"nodes", 39, last, func(p *page) any {
			return obj("allowed_allocation", "", "configured", p.part.Nodes.Text, "total", len(p.members()))
		}},
		{"partition", 39, last, partitionState},
		{"preempt_mode", 45, last, func(*page) any { return []string{"CLUSTER_GLOBAL"} }},
		{"priority", 39, last, func(p *page) any { return obj("job_factor", 1, "tier", p.part.Tier) }},
		{"qos", 39, last, func(p *page) any { return obj("allowed", p.part.QOS, "deny", "", "assigned", "") }},
		{"select_type", 41, last, func(*page) any { return []string{} }},
		{"suspend_time", 39, last, nothing},
		{"timeouts", 39, last, func(p *page) any { return obj("resume", p.unset(), "suspend", p.unset()) }},
		{"topology", 43, last, none},
		{"tres", 39, last, func(p *page) any { return obj("billing_weights", "", "configured", p.tres()) }},
	},
)

// obj makes an object of keys and values in turn.
func obj(pairs ...any) map[string]any {
	out := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

func partitionCPUs(p *page) any {
	var binding any = 0
	if p.v >= 45 {
		binding = []string{}
	}
	return obj("task_binding", binding, "total", p.cpus())
}

func partitionDefaults(p *page) any {
	return obj("memory_per_cpu", 0, "partition_memory_per_cpu", p.unset(), "partition_memory_per_node", p.unset(),
		"time", p.unset(), "job", "")
}

func partitionMaximums(p *page) any {
	var limit any = sin(false, true, 0)
	if p.part.MaxTime > 0 {
		limit = p.num(p.part.MaxTime)
	}
	return obj("cpus_per_node", infinite(p), "cpus_per_socket", infinite(p), "memory_per_cpu", 0,
		"partition_memory_per_cpu", p.unset(), "partition_memory_per_node", p.num(0), "nodes", infinite(p),
		"shares", 1, "oversubscribe", obj("jobs", 1, "flags", []string{}), "time", limit, "over_time_limit", p.unset())
}

func partitionState(p *page) any {
	if p.v >= 45 {
		return obj("exclusive", "NO", "oversubscribe", "NO", "state", []string{p.upDown()})
	}
	return obj("state", []string{p.upDown()})
}

func (p *page) upDown() string {
	if p.part.Up {
		return "UP"
	}
	return "DOWN"
}

// flags marks the first partition as the default.
func (p *page) flags(word string) []string {
	if list := p.w.Partitions(); len(list) > 0 && list[0].Name == p.part.Name {
		return []string{word}
	}
	return []string{}
}

// members returns the indices of the partition's nodes.
func (p *page) members() []int {
	var out []int
	for i := range p.all {
		if slices.Contains(p.all[i].Partitions, p.part.Name) {
			out = append(out, i)
		}
	}
	return out
}

func (p *page) cpus() int {
	n := 0
	for _, i := range p.members() {
		n += p.all[i].CPUs
	}
	return n
}

// tres sums up what the partition's nodes have.
func (p *page) tres() string {
	var mem int64
	gpus := 0
	for _, i := range p.members() {
		mem += p.all[i].MemMB
		for _, g := range strings.Split(p.all[i].Gres, ",") {
			var n int
			if k := strings.LastIndexByte(g, ':'); k >= 0 {
				_, _ = fmt.Sscan(g[k+1:], &n)
			}
			gpus += n
		}
	}
	return fmt.Sprintf("cpu=%d,mem=%dM,node=%d,billing=%d,gres/gpu=%d", p.cpus(), mem, len(p.members()), p.cpus(), gpus)
}
