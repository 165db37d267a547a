// Package shares reads which GPUs are given out in parts: shards and MPS. docs/sharing.md has
// what records of each release show of them.
package shares

import (
	"cmp"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// Hold is a GPU of which a job holds shares. Slurm gives it to no job as a whole meanwhile.
type Hold struct {
	Node    string
	GPUType string // as slurm.Node.GPUs has it; "": not known
	Device  int    // which of the node's GPUs, in the order of gres.conf; UnknownDevice: not told
	Percent int    // percent of the GPU that the shares are, 1 to 100; of several GPUs the mean
}

// UnknownDevice is the Device of a GPU that Slurm does not tell.
const UnknownDevice = -1

// Requested reports whether the job asks for shards or MPS, per node, job or task.
func Requested(j *slurm.Job) bool {
	return slices.ContainsFunc([]slurm.GRESList{j.GresPerNode, j.GresPerJob, j.GresPerTask}, func(l slurm.GRESList) bool {
		return slices.ContainsFunc(l.List, isGivenOut)
	})
}

// Offers reports whether the node has GPUs that Slurm gives out in shares.
func Offers(n *slurm.Node) bool { return slices.ContainsFunc(n.Gres.List, isGivenOut) }

// Held returns the GPUs of which a running job holds shares, in the order of its nodes. Where Slurm does
// not tell which they are, they are as many as so many shares fill. find returns a node by name, or nil.
func Held(j *slurm.Job, find func(node string) *slurm.Node) []Hold {
	var out []Hold
	for i, host := range j.Nodes.Names {
		list := j.GresPerNode.List
		if len(j.GresDetail) == len(j.Nodes.Names) {
			list = j.GresDetail[i].List
		}
		for _, g := range list {
			if isGivenOut(g) {
				out = append(out, holdsOnNode(find(host), host, g)...)
			}
		}
	}
	return out
}

// IndexInType returns which of the node's GPUs of its own type the GPU is, from 0; -1 where there is none.
func IndexInType(n *slurm.Node, device int) int {
	before := map[string]int{}
	for _, g := range n.Gres.List {
		if g.Name != "gpu" {
			continue
		}
		if device >= 0 && device < g.Count {
			return before[g.Type] + device
		}
		before[g.Type], device = before[g.Type]+g.Count, device-g.Count
	}
	return -1
}

func isGivenOut(g slurm.GRES) bool { return g.IsShare() && g.Count > 0 }

// holdsOnNode tells of which GPUs so many shares on the node are. The node may be nil: not known.
func holdsOnNode(n *slurm.Node, host string, g slurm.GRES) []Hold {
	if n == nil {
		return []Hold{{Node: host, GPUType: g.Type, Device: UnknownDevice, Percent: 100}}
	}
	devices := g.DeviceIndexes
	gpuType := cmp.Or(g.Type, typeOfShares(n, g.Name))
	if len(devices) > 0 {
		gpuType = cmp.Or(TypeOfDevice(n, devices[0]), gpuType)
	}
	each := max(sharesPerGPU(n, g.Name, gpuType), 1)
	if len(devices) == 0 {
		devices = slices.Repeat([]int{UnknownDevice}, min((g.Count+each-1)/each, mostDevices))
	}
	var out []Hold
	for _, d := range devices {
		out = append(out, Hold{
			Node: host, GPUType: cmp.Or(TypeOfDevice(n, d), gpuType), Device: d,
			Percent: min(max(g.Count*100/(len(devices)*each), 1), 100),
		})
	}
	return out
}

// mostDevices is more GPUs than a node is believed to have.
const mostDevices = 64

// TypeOfDevice returns the type of the node's GPU with the index; "" where there is none.
func TypeOfDevice(n *slurm.Node, index int) string {
	for _, g := range n.Gres.List {
		if g.Name != "gpu" {
			continue
		}
		if index >= 0 && index < g.Count {
			return cmp.Or(g.Type, slurm.UntypedGPU)
		}
		index -= g.Count
	}
	return ""
}

// typeOfShares returns the first type of GPU of which the node offers shares.
func typeOfShares(n *slurm.Node, name string) string {
	for _, g := range n.Gres.List {
		if g.Name == name && g.Count > 0 {
			return cmp.Or(g.Type, slurm.UntypedGPU)
		}
	}
	return ""
}

// sharesPerGPU returns of how many shares a GPU of the type consists on the node; 0 where it has
// none. Slurm spreads those of a type evenly.
func sharesPerGPU(n *slurm.Node, name, gpuType string) int {
	gpus, shares := countOfType(n, name, gpuType)
	return shares / max(gpus, 1)
}

// countOfType returns how many GPUs of the type the node has, and how many shares of them.
func countOfType(n *slurm.Node, name, gpuType string) (gpus, shares int) {
	for _, g := range n.Gres.List {
		if g.Type != gpuType && g.Type != "" {
			continue
		}
		switch g.Name {
		case "gpu":
			gpus += g.Count
		case name:
			shares += g.Count
		}
	}
	return gpus, shares
}

// ShardsPerGPU returns of how many shards every GPU of the type consists on the node; 0 where it offers none, or
// where the GPU that Slurm chooses for a job with so many could be one of another type or of another number of
// shards: a request for shards names neither.
func ShardsPerGPU(n *slurm.Node, gpuType string) int {
	gpus, shards := countOfType(n, "shard", gpuType)
	if gpus == 0 || shards == 0 || shards%gpus != 0 || !hasEvenPlaces(n.GresUsed.Text) {
		return 0
	}
	for _, g := range n.Gres.List {
		if other := cmp.Or(g.Type, slurm.UntypedGPU); g.Name == "gpu" && other != gpuType {
			if _, of := countOfType(n, "shard", other); of > 0 {
				return 0
			}
		}
	}
	return shards / gpus
}

// hasEvenPlaces reports whether what Slurm shows of the shards that are given out, such as
// "shard:a100:6(0/4,4/4,2/4,0/4)", is of as many for each GPU. 22.05 does not show it.
func hasEvenPlaces(gresUsed string) bool {
	for item := range strings.SplitSeq(gresUsed, ")") {
		name, places, _ := strings.Cut(item, "(")
		if !strings.HasPrefix(strings.TrimPrefix(name, ","), "shard:") {
			continue
		}
		var of []string
		for place := range strings.SplitSeq(places, ",") {
			if _, total, ok := strings.Cut(place, "/"); ok {
				of = append(of, total)
			}
		}
		if slices.Sort(of); len(slices.Compact(of)) > 1 {
			return false
		}
	}
	return true
}
