package sim

import (
	"fmt"
	"math/bits"
	"strings"

	"fairbridge/bridge/slurm"
)

// Nodes returns every node as Slurm shows it, in Slurm's order.
func (w *World) Nodes() []slurm.Node {
	out := make([]slurm.Node, len(w.nodes))
	for i, n := range w.nodes {
		out[i] = slurm.Node{
			Name: n.Name, State: n.state(), Flags: w.flags(n), Reason: n.down + n.drain,
			Gres: n.gres(), GresUsed: n.gresUsed(), TRES: n.tres(), TRESUsed: n.tresUsed(),
			Features: n.Features, Partitions: n.parts, CPUs: n.CPUs, CPUsUsed: n.cpus,
			MemMB: n.MemMB, MemUsedMB: n.mem, Topology: n.Switch, Version: w.cfg.Release,
		}
	}
	return out
}

// Partitions returns every partition as Slurm shows it.
func (w *World) Partitions() []slurm.Partition {
	out := make([]slurm.Partition, len(w.parts))
	for i, p := range w.parts {
		names := make([]string, len(p.nodes))
		for k, n := range p.nodes {
			names[k] = n.Name
		}
		out[i] = slurm.Partition{
			Name: p.Name, Up: !p.Down, Nodes: slurm.HostsOf(names),
			MaxTime: int64(p.MaxTime.Minutes()), Tier: p.Tier,
		}
	}
	return out
}

func (n *node) state() string {
	switch {
	case n.down != "":
		return "DOWN"
	case n.jobs == 0:
		return "IDLE"
	case n.cpus >= n.CPUs:
		return "ALLOCATED"
	}
	return "MIXED"
}

func (n *node) flags() []string {
	if n.drain != "" {
		return []string{"DRAIN"}
	}
	return nil
}

func (n *node) gres() string {
	var parts []string
	for _, g := range n.GPUs {
		parts = append(parts, fmt.Sprintf("gpu:%s:%d", g.Type, g.Count))
	}
	return strings.Join(parts, ",")
}

func (n *node) gresUsed() string {
	var parts []string
	for i, g := range n.GPUs {
		idx := "N/A"
		if n.used[i] != 0 {
			idx = indices(n.used[i])
		}
		parts = append(parts, fmt.Sprintf("gpu:%s:%d(IDX:%s)", g.Type, bits.OnesCount64(n.used[i]), idx))
	}
	return strings.Join(parts, ",")
}

func (n *node) tres() string {
	out := fmt.Sprintf("cpu=%d,mem=%s,billing=%d", n.CPUs, size(n.MemMB), n.CPUs)
	total, typed := 0, ""
	for _, g := range n.GPUs {
		total += g.Count
		typed += fmt.Sprintf(",gres/gpu:%s=%d", g.Type, g.Count)
	}
	if total > 0 {
		out += fmt.Sprintf(",gres/gpu=%d", total) + typed
	}
	return out
}

func (n *node) tresUsed() string {
	if n.jobs == 0 {
		return ""
	}
	out := fmt.Sprintf("cpu=%d%s", n.cpus, memory(n.mem))
	total, typed := 0, ""
	for i, g := range n.GPUs {
		if used := bits.OnesCount64(n.used[i]); used > 0 {
			total += used
			typed += fmt.Sprintf(",gres/gpu:%s=%d", g.Type, used)
		}
	}
	if total > 0 {
		out += fmt.Sprintf(",gres/gpu=%d", total) + typed
	}
	return out
}
