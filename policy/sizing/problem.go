package sizing

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/scaling"
	"fairbridge/policy/solve/sizes"
)

// newProblem makes items of the jobs. The movable ones have given back what they hold.
func (g *Group) newProblem(worth []Worth) *sizes.Problem {
	problem := &sizes.Problem{Room: make([]int, len(g.nodes)), Spread: make([]int, len(g.nodes)), Items: make([]sizes.Item, len(g.Jobs))}
	for b, node := range g.nodes {
		problem.Room[b] = max(g.Round.FreePool.FreeOnNode(node, g.GPUType), 0)
	}
	for _, e := range g.Fixed {
		if nodes := e.On.Nodes(); len(nodes) > 1 {
			for _, name := range nodes {
				if b, known := g.nodeIndex[name]; known {
					problem.Spread[b]++
				}
			}
		}
	}
	rooms := roomCache{group: g}
	for i, e := range g.Jobs {
		w := &worth[i]
		problem.Items[i] = sizes.Item{Options: w.Options, Worth: w.Of, Full: w.Full, Now: g.placeNow(e), Change: w.Change, Room: rooms.of(e)}
	}
	return problem
}

// placeNow is where a job runs.
func (g *Group) placeNow(e *engine.Entry) sizes.Place {
	var at sizes.Place
	if e.On.FirstType() != g.GPUType {
		return nil
	}
	for _, slot := range e.On {
		at = append(at, sizes.Part{Bin: g.nodeIndex[slot.Node], Count: slot.Count})
	}
	slices.SortFunc(at, func(a, b sizes.Part) int { return a.Bin - b.Bin })
	return at
}

// denseSizes bounds how many sizes of one kind are looked at in a group.
const denseSizes = 8192

// Sizes returns the numbers of GPUs from least to most that a job may have: each up to some nodes'
// worth, and then by whole nodes.
func (g *Group) Sizes(e *engine.Entry, least, most int) []int {
	most = min(most, g.Devices)
	if e.HoldsGPUs() {
		most = max(most, e.On.Count())
	}
	dense := max(2*g.MostOnNode, min(4*g.MostOnNode, denseSizes/max(len(g.Jobs), 1)))
	var options []int
	for k := least; k <= most; k++ {
		if k <= dense || k%g.MostOnNode == 0 || k == e.On.Count() {
			options = append(options, k)
		}
	}
	return options
}

// GoodputOf returns the goodput of a job on GPUs of the type, each size reckoned once.
func (g *Group) GoodputOf(j *policy.Job) func(devices, nodes int) float64 {
	curve, known := scaling.New(j), map[[2]int]float64{}
	return func(devices, nodes int) float64 {
		key := [2]int{devices, nodes}
		goodput, ok := known[key]
		if !ok {
			goodput = curve.Goodput(scaling.Size{Type: g.GPUType, Devices: devices, Nodes: nodes})
			known[key] = goodput
		}
		return goodput
	}
}

// roomCache knows what nodes offer to jobs that ask alike.
type roomCache struct {
	group *Group
	asks  []askKey
	rooms [][]int
}

// askKey is what of an ask decides on nodes, where it names none.
type askKey struct {
	partition string
	ask       policy.GPUs
	cpus      int
	memMB     int64
	limit     string
}

// of returns the most devices that each node offers to a job.
func (k *roomCache) of(e *engine.Entry) []int {
	ask := e.AskWithLimit().Resized(1)
	ask.GPUs.Type = k.group.GPUType
	plain := len(ask.Features)+len(ask.ExcludedNodes)+len(ask.RequiredNodes) == 0
	key := askKey{e.Partition, ask.GPUs, ask.CPUs, ask.MemMB, ask.Limit.String()}
	if plain {
		for i := range k.asks {
			if k.asks[i] == key {
				return k.rooms[i]
			}
		}
	}
	room := make([]int, len(k.group.nodes))
	for _, r := range k.group.Round.FreePool.ListRooms(e.Partition, ask) {
		if b, known := k.group.nodeIndex[r.NodeName]; known {
			room[b] = r.DeviceCount
		}
	}
	if plain && len(k.asks) < mostAsks {
		k.asks, k.rooms = append(k.asks, key), append(k.rooms, room)
	}
	return room
}

// mostAsks bounds how many asks are compared.
const mostAsks = 64
