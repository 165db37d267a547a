package inventory

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// nodeTexts are what of a node is printed and read. They follow from its configuration, which
// never changes, and from what jobs have of it.
type nodeTexts struct {
	usage          NodeUsage
	gres, usedGres slurm.GRESList
	tres, usedTRES slurm.TRES
}

// AsSlurm returns the node as Slurm shows it, without its Version and with only
// those flags that it has by itself.
func (n *Node) AsSlurm() slurm.Node {
	if n.shown == nil || n.shown.usage != n.Usage {
		n.shown = &nodeTexts{
			n.Usage, slurm.ReadGRES(n.formatGres()), slurm.ReadGRES(n.formatUsedGres()), slurm.ReadTRES(n.formatTRES()), slurm.ReadTRES(n.formatUsedTRES()),
		}
	}
	out := slurm.Node{
		Name: n.Name, State: n.slurmState(), Reason: n.DownReason + n.DrainReason,
		Gres: n.shown.gres, GresUsed: n.shown.usedGres, TRES: n.shown.tres, TRESUsed: n.shown.usedTRES,
		Features: n.Features, Partitions: n.Partitions, CPUs: n.CPUs, CPUsUsed: n.Usage.CPUs,
		MemMB: n.MemMB, MemUsedMB: n.Usage.MemMB, Topology: n.LeafSwitch,
	}
	if n.DrainReason != "" {
		out.Flags = []string{"DRAIN"}
	}
	return out
}

// AsSlurm returns the partition as Slurm shows it.
func (p *Partition) AsSlurm() slurm.Partition {
	state := "UP"
	if p.IsDown {
		state = "DOWN"
	}
	return slurm.Partition{
		Name: p.Name, State: state, Nodes: slurm.HostsFromNames(NodeNames(p.Nodes)),
		MaxTimeMinutes: int64(p.MaxTime / time.Minute), PriorityTier: p.Tier,
	}
}

// NodeNames returns the names of the nodes.
func NodeNames(nodes []*Node) []string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Name
	}
	return names
}

func (n *Node) slurmState() string {
	switch {
	case n.DownReason != "":
		return "DOWN"
	case n.Usage.JobCount == 0:
		return "IDLE"
	case n.Usage.CPUs >= n.CPUs:
		return "ALLOCATED"
	}
	return "MIXED"
}

func (n *Node) formatGres() string {
	var parts []string
	for _, g := range n.GPUs {
		parts = append(parts, fmt.Sprintf("gpu:%s:%d", g.Type, g.Count))
	}
	return strings.Join(parts, ",") + n.formatShards()
}

func (n *Node) formatUsedGres() string {
	var parts []string
	for i, g := range n.GPUs {
		idx := "N/A"
		if n.Usage.DeviceMasks[i] != 0 {
			idx = formatIndices(n.Usage.DeviceMasks[i])
		}
		parts = append(parts, fmt.Sprintf("gpu:%s:%d(IDX:%s)", g.Type, bits.OnesCount64(n.Usage.DeviceMasks[i]), idx))
	}
	return strings.Join(parts, ",") + n.formatUsedShards()
}

func (n *Node) formatTRES() string {
	out := fmt.Sprintf("cpu=%d,mem=%s,billing=%d", n.CPUs, formatMB(n.MemMB), n.CPUs)
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

func (n *Node) formatUsedTRES() string {
	if n.Usage.JobCount == 0 {
		return ""
	}
	out := fmt.Sprintf("cpu=%d%s", n.Usage.CPUs, formatMemoryTRES(n.Usage.MemMB))
	total, typed := 0, ""
	for i, g := range n.GPUs {
		if used := bits.OnesCount64(n.Usage.DeviceMasks[i]); used > 0 {
			total += used
			typed += fmt.Sprintf(",gres/gpu:%s=%d", g.Type, used)
		}
	}
	if total > 0 {
		out += fmt.Sprintf(",gres/gpu=%d", total) + typed
	}
	return out
}

// FormatTRES is tres_alloc_str.
func (s Slots) FormatTRES() string {
	cpus, mem := 0, int64(0)
	for i := range s {
		cpus, mem = cpus+s[i].CPUs, mem+s[i].MemMB
	}
	out := FormatBaseTRES(cpus, mem, len(s))
	if _, n := s.GPUTypeAndCount(); n > 0 {
		out += fmt.Sprintf(",gres/gpu=%d", n) + s.formatGPUTRES()
	}
	return out
}

// formatGPUTRES lists the GPUs by type.
func (s Slots) formatGPUTRES() string {
	var types []string
	count := map[string]int{}
	for i := range s {
		if s[i].TypeIndex < 0 {
			continue
		}
		t := s[i].Node.GPUs[s[i].TypeIndex].Type
		if count[t] == 0 {
			types = append(types, t)
		}
		count[t] += s[i].GPUs
	}
	out := ""
	for _, t := range types {
		out += fmt.Sprintf(",gres/gpu:%s=%d", t, count[t])
	}
	return out
}

// FormatGres is gres_detail: one item per node with GPUs, in the order of their names, as in the list of nodes.
func (s Slots) FormatGres() []string {
	var out []string
	inOrder := slices.SortedFunc(slices.Values(s), func(a, b Slot) int { return cmp.Compare(a.Node.Name, b.Node.Name) })
	for i := range inOrder {
		if x := &inOrder[i]; x.Shards > 0 {
			out = append(out, x.formatShardDetail())
		} else if x.TypeIndex >= 0 {
			out = append(out, fmt.Sprintf("gpu:%s:%d(IDX:%s)", x.Node.GPUs[x.TypeIndex].Type, x.GPUs, formatIndices(x.DeviceMask)))
		}
	}
	return out
}

// FormatBaseTRES prints what is no GPU: "cpu=8,mem=64G,node=1,billing=8".
func FormatBaseTRES(cpus int, memMB int64, nodes int) string {
	return fmt.Sprintf("cpu=%d%s,node=%d,billing=%d", cpus, formatMemoryTRES(memMB), nodes, cpus)
}

func formatMemoryTRES(mb int64) string {
	if mb == 0 {
		return ""
	}
	return ",mem=" + formatMB(mb)
}

// formatMB prints megabytes as Slurm does: whole gigabytes when it can.
func formatMB(mb int64) string {
	if mb%1024 == 0 {
		return fmt.Sprintf("%dG", mb/1024)
	}
	return fmt.Sprintf("%dM", mb)
}

// formatIndices prints a device mask as "0-2,5".
func formatIndices(m uint64) string {
	var parts []string
	for m != 0 {
		lo := bits.TrailingZeros64(m)
		n := bits.TrailingZeros64(^(m >> lo))
		if n == 1 {
			parts = append(parts, strconv.Itoa(lo))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", lo, lo+n-1))
		}
		m &^= (1<<n - 1) << lo
	}
	return strings.Join(parts, ",")
}
