package slurm

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// What a device is, what a node has, what a job asks and what it holds is
// answered here and in holds.go, and nowhere else.

// UntypedGPU is what GPUs are called whose node's configuration names no type.
const UntypedGPU = "gpu"

// PercentOfGPU returns how many percent of a GPU each device of the resource is.
func (g GRES) PercentOfGPU() int { return PercentOfGPUType(g.Type) }

// PercentOfGPUType returns how many percent of a GPU a device of the type is: 100 for a
// whole one, for a MIG slice its part of the GPU's compute slices, rounded down.
// A slice is known by the profile that ends its type: 1g.5gb, a100_3g.20gb,
// nvidia_h100_80gb_hbm3_2g.20gb, 1g.5gb+me, and 1c.3g.20gb for one compute slice
// of three. GPUs have seven, but the A30 has four, of 6 GB each.
func PercentOfGPUType(typ string) int {
	profile, _, _ := strings.Cut(strings.ToLower(typ), "+")
	profile = profile[strings.LastIndexAny(profile, "_-")+1:]
	compute, profile := cutComputeInstances(profile)
	slice, memory, ok := strings.Cut(profile, "g.")
	gb, isMemory := strings.CutSuffix(memory, "gb")
	n, err := strconv.Atoi(slice)
	m, err2 := strconv.Atoi(gb)
	of := 7
	if m == 6*n {
		of = 4
	}
	if !ok || !isMemory || err != nil || err2 != nil || n < 1 || n > of || compute > n {
		return 100
	}
	return cmp.Or(compute, n) * 100 / of
}

// cutComputeInstances cuts the number of compute slices off a profile such as
// 1c.3g.20gb; 0 when it names none.
func cutComputeInstances(profile string) (slices int, rest string) {
	if head, tail, ok := strings.Cut(profile, "c."); ok {
		if n, err := strconv.Atoi(head); err == nil && n > 0 {
			return n, tail
		}
	}
	return 0, profile
}

// GPUs returns the GPUs Slurm has configured on the node, by type, sorted.
// What cannot be read is not there.
func (n *Node) GPUs() []GRES { return n.gpusByType(n.Gres.List, "") }

// GPUsInUse returns those of the GPUs that Slurm has given out.
func (n *Node) GPUsInUse() []GRES { return n.gpusByType(n.GresUsed.List, "") }

// MentionsGPUs reports whether what Slurm says of the node's generic resources has
// GPUs in it, whatever else it says.
func (n *Node) MentionsGPUs() bool { return strings.Contains(n.Gres.Text, "gpu") }

// gpusByType returns the GPUs of a list on the node by type, sorted. Those that name
// no type are of the type given or, where the node has none of that, what an
// untyped GPU of the node is. The node may be nil: not known.
func (n *Node) gpusByType(list []GRES, typ string) []GRES {
	var out []GRES
	for _, g := range list {
		if g.Name != "gpu" || g.Count <= 0 {
			continue
		}
		if g.Type == "" {
			g.Type = n.typeOfUntyped(typ)
		}
		if i := slices.IndexFunc(out, func(o GRES) bool { return o.Type == g.Type }); i >= 0 {
			out[i].Count += g.Count
		} else {
			out = append(out, GRES{Name: g.Name, Type: g.Type, Count: g.Count})
		}
	}
	slices.SortFunc(out, func(a, b GRES) int { return cmp.Compare(a.Type, b.Type) })
	return out
}

// typeOfUntyped names a GPU of the node that is told without a type: the one given if
// the node has it, else its first type of whole GPUs, else its first type.
func (n *Node) typeOfUntyped(typ string) string {
	if n == nil {
		return typ
	}
	first := ""
	for _, g := range n.Gres.List {
		switch {
		case g.Name != "gpu" || g.Type == "":
		case g.Type == typ:
			return typ
		case first == "" || PercentOfGPUType(first) < 100 && g.PercentOfGPU() == 100:
			first = g.Type
		}
	}
	return cmp.Or(first, UntypedGPU)
}

// GPUCount returns how many GPUs of the type the node has; "" is any type.
func (n *Node) GPUCount(typ string) (count int) {
	for _, g := range n.GPUs() {
		if typ == "" || g.Type == typ {
			count += g.Count
		}
	}
	return count
}

// FreeGPUCount returns how many devices of the type Slurm shows as not given out, neither
// as a whole nor in shares.
func (n *Node) FreeGPUCount(typ string) int {
	free := 0
	for _, g := range n.GPUs() {
		if g.Type == typ {
			free += g.Count
		}
	}
	for _, g := range n.GPUsInUse() {
		if g.Type == typ {
			free -= g.Count
		}
	}
	for _, g := range n.GresUsed.List {
		if g.IsShare() && cmp.Or(g.Type, n.typeOfUntyped("")) == typ {
			free -= len(g.DeviceIndexes)
		}
	}
	return max(free, 0)
}
