package intake

import (
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// nodeTotals are what some nodes have together.
type nodeTotals struct {
	nodesText         string
	gpus, cpus, nodes int
	memMB             int64
	gpusByType        map[string]int
}

// sumNodeTotals returns what the nodes of the partition have, and those of all.
func sumNodeTotals(v *slurm.View, partition string) (mine, all nodeTotals) {
	mine = nodeTotals{nodesText: "the nodes of partition " + partition, gpusByType: map[string]int{}}
	all = nodeTotals{nodesText: "all nodes", gpusByType: map[string]int{}}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		all.addNode(n)
		if slices.Contains(n.Partitions, partition) {
			mine.addNode(n)
		}
	}
	return mine, all
}

func (t *nodeTotals) addNode(n *slurm.Node) {
	for _, g := range n.GPUs() {
		t.gpus += g.Count
		t.gpusByType[g.Type] += g.Count
	}
	t.cpus, t.memMB, t.nodes = t.cpus+n.CPUs, t.memMB+n.MemMB, t.nodes+1
}

// declaredSize returns the sizes that a job's owner leaves to us, and what of the declaration does
// not count, and why. A job of another partition is none of ours to size.
func (a *snapshotAssembler) declaredSize(d *slurm.Directive, ask *policy.Ask, mine bool) (size slurm.DeclaredSize, ignored string) {
	if !mine {
		return size, d.UnreadReason
	}
	size, ignored = d.DeclaredSize(ask.GPUs.Count, ask.GPUs.Type, a.partitionTotals.gpusByType)
	return size, strings.TrimPrefix(strings.TrimSuffix(d.UnreadReason+"\n"+ignored, "\n"), "\n")
}

// limitAsk bounds an ask by what its partition has. A job of another partition may
// hold nodes that are not of this one.
func (a *snapshotAssembler) limitAsk(ask *policy.Ask, mine bool) (tooMuch string) {
	if mine {
		return a.partitionTotals.limitAsk(ask)
	}
	return a.clusterTotals.limitAsk(ask)
}

// limitAsk says what an ask wants more of than all the nodes have together; "" when
// nothing. Policies count in what jobs ask and some make room for it: the ask
// becomes one of the size of the nodes.
func (t *nodeTotals) limitAsk(a *policy.Ask) string {
	why := ""
	over := func(what string, asks, have int64) int64 {
		if asks <= have || have == 0 { // a node that tells nothing of it is no bound
			return asks
		}
		if why == "" {
			why = fmt.Sprintf("it asks for %d %s, %s have %d in all", asks, what, t.nodesText, have)
		}
		return have
	}
	a.GPUs.Count = int(over("GPUs", int64(a.GPUs.Count), int64(max(t.gpus, 1))))
	a.MinNodes = int(over("nodes", int64(a.MinNodes), int64(max(t.nodes, 1))))
	a.CPUs = int(over("cores", int64(a.CPUs), int64(t.cpus)))
	a.MemMB = over("MB of memory", a.MemMB, t.memMB)
	a.PerNode, a.MaxNodes = min(a.PerNode, a.GPUs.Count), min(a.MaxNodes, max(t.nodes, 1))
	return why
}
