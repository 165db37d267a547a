package harmony

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
	"fairbridge/policy/scaling"
)

// layout is which job is where as a plan stands, and what that is worth.
type layout struct {
	*costs
	nodeIndex map[string]int
	nodes     []nodeLoad
	fewest    map[fewestKey]int // see fewestNodes
	all       []policy.Node
	mark      int // of residents that were counted
}

// nodeLoad is a node and the jobs on it.
type nodeLoad struct {
	gpus      float64
	residents []*resident
	byClass   [mostClasses + 1]float64 // halves of its GPUs that jobs of each class hold
}

// resident is a job with a place, or one that looks for one.
type resident struct {
	entry      *engine.Entry
	typesToTry []string // of GPU, where it takes any and waits to be placed
	class      int
	weight     float64 // of its speed in the reward
	spreadLoss float64 // of each node more than it needs, or of any where that is measured
	isMeasured bool    // the latter
	on         policy.Alloc
	slots      []residentSlot
	tooMany    int // nodes more than it needs
	mark       int
}

// gang is what the job asks for together, with the types of GPU to try.
func (x *resident) gang(e *engine.Entry) policy.Ask {
	a := e.GangAsk()
	if a.TypesToTry == nil {
		a.TypesToTry = x.typesToTry
	}
	return a
}

// residentSlot is a job's part of a node.
type residentSlot struct {
	node   int
	halves float64
}

type fewestKey struct {
	gpuType string
	devices int
}

func newLayout(s *policy.Snapshot, c *costs) *layout {
	l := &layout{costs: c, nodeIndex: make(map[string]int, len(s.Nodes)), nodes: make([]nodeLoad, len(s.Nodes)), fewest: map[fewestKey]int{}, all: s.Nodes}
	for i := range s.Nodes {
		l.nodeIndex[s.Nodes[i].Name], l.nodes[i].gpus = i, gpusOf(&s.Nodes[i])
	}
	return l
}

// add puts a job on devices.
func (l *layout) add(r *resident, on policy.Alloc) {
	r.on, r.slots = on, r.slots[:0]
	for _, name := range on.Nodes() {
		i, known := l.nodeIndex[name]
		if !known {
			continue
		}
		n := &l.nodes[i]
		slot := residentSlot{i, halvesOn(r.entry.Job, on, name, n.gpus)}
		r.slots = append(r.slots, slot)
		n.residents = append(n.residents, r)
		n.byClass[r.class] += slot.halves
	}
	r.tooMany = max(len(r.slots)-l.fewestNodes(on.FirstType(), on.Count()), 0)
}

// remove takes a job off its devices.
func (l *layout) remove(r *resident) {
	for _, slot := range r.slots {
		n := &l.nodes[slot.node]
		for k, o := range n.residents {
			if o == r {
				n.residents = append(n.residents[:k], n.residents[k+1:]...)
				break
			}
		}
		n.byClass[r.class] = 0 // summed up anew, so that nothing of it is left by rounding
		for _, o := range n.residents {
			if o.class == r.class {
				n.byClass[r.class] += o.halvesOn(slot.node)
			}
		}
	}
	r.on, r.slots = nil, r.slots[:0]
}

func (r *resident) halvesOn(node int) float64 {
	for _, slot := range r.slots {
		if slot.node == node {
			return slot.halves
		}
	}
	return 0
}

// fewestNodes is over how few nodes so many devices can be spread.
func (l *layout) fewestNodes(gpuType string, devices int) int {
	k := fewestKey{gpuType, devices}
	n, known := l.fewest[k]
	if !known {
		n = max(scaling.FewestNodes(l.all, gpuType, devices), 1)
		l.fewest[k] = n
	}
	return n
}

// lossOn is what the jobs on a node cost one of a class that holds so many halves of what is held there itself.
func (l *layout) lossOn(class, node int, ownHalves float64) float64 {
	loss := -l.of[class][class] * ownHalves
	for k, halves := range l.nodes[node].byClass {
		loss += l.of[class][k] * halves
	}
	return max(loss, 0)
}

// speed is how fast a job is where it is, relative to its speed alone.
func (l *layout) speed(r *resident) float64 {
	most := 0.0
	for _, slot := range r.slots {
		most = max(most, l.lossOn(r.class, slot.node, slot.halves))
	}
	return math.Exp(-most - r.lossBySpread(r.tooMany))
}

// lossBySpread is what being on so many nodes more than needed costs.
func (r *resident) lossBySpread(tooMany int) float64 {
	if r.isMeasured {
		tooMany = min(tooMany, 1)
	}
	return r.spreadLoss * float64(tooMany)
}

// rewardAround is the reward of the jobs on the nodes of an allocation.
func (l *layout) rewardAround(on policy.Alloc) float64 {
	l.mark++
	sum := 0.0
	for i, s := range on {
		if i > 0 && on[i-1].Node == s.Node {
			continue
		}
		n, known := l.nodeIndex[s.Node]
		if !known {
			continue
		}
		for _, r := range l.nodes[n].residents {
			if r.mark != l.mark {
				r.mark = l.mark
				sum += r.weight * l.speed(r)
			}
		}
	}
	return sum
}

// put adds a job and returns by how much the reward rises: by its own less what it costs the others.
func (l *layout) put(r *resident, on policy.Alloc) float64 {
	before := l.rewardAround(on)
	l.add(r, on)
	return l.rewardAround(on) - before
}

// drop removes a job and returns by how much the reward falls.
func (l *layout) drop(r *resident) float64 {
	on := r.on
	before := l.rewardAround(on)
	l.remove(r)
	return before - l.rewardAround(on)
}

// mostPlaces is how many places of a job are weighed: those with the least loss of its own.
const mostPlaces = 24

// place is where a job could go.
type place struct {
	on   policy.Alloc
	loss float64 // of the job itself there, as -ln of its speed
	left int     // devices left on the nodes
}

// listPlaces returns where a job could go now, on the first GPU type that has room: each node that holds it, and
// of several nodes together those with the least loss, the fewest, and the emptiest. First is where it loses least
// and leaves the fewest devices.
func (l *layout) listPlaces(r *engine.Round, x *resident, e *engine.Entry) []place {
	gang := x.gang(e)
	for _, gang.GPUs.Type = range r.FreePool.TypesFor(&gang) {
		if all := l.placesOfType(r, x, e.Partition, gang); len(all) > 0 {
			slices.SortStableFunc(all, func(a, b place) int { return cmp.Or(cmp.Compare(a.loss, b.loss), cmp.Compare(a.left, b.left)) })
			return all[:min(len(all), mostPlaces)]
		}
	}
	return nil
}

func (l *layout) placesOfType(r *engine.Round, x *resident, partition string, gang policy.Ask) []place {
	rooms := r.FreePool.ListRooms(partition, gang)
	var all []place
	if gang.PerNode == 0 && gang.MinNodes <= 1 || gang.PerNode == gang.GPUs.Count {
		for _, room := range rooms {
			if room.DeviceCount >= gang.GPUs.Count {
				all = l.appendPlace(all, r, x, gang, []pool.Room{room})
			}
		}
	}
	if len(all) > 0 || gang.MaxNodes == 1 {
		return all
	}
	all = l.appendPlace(all, r, x, gang, slices.Clone(rooms)) // the fewest nodes
	slices.SortStableFunc(rooms, func(a, b pool.Room) int { return cmp.Compare(b.DeviceCount, a.DeviceCount) })
	all = l.appendFirst(all, r, x, gang, rooms) // the emptiest
	slices.SortStableFunc(rooms, func(a, b pool.Room) int {
		return cmp.Compare(l.lossOn(x.class, l.nodeIndex[a.NodeName], 0), l.lossOn(x.class, l.nodeIndex[b.NodeName], 0))
	})
	return l.appendFirst(all, r, x, gang, rooms) // the least loss
}

// appendFirst adds a place in as few of the first rooms as hold the gang.
func (l *layout) appendFirst(all []place, r *engine.Round, x *resident, gang policy.Ask, rooms []pool.Room) []place {
	devices := 0
	for n, room := range rooms {
		if devices += room.DeviceCount; devices < gang.GPUs.Count {
			continue
		}
		if more := l.appendPlace(all, r, x, gang, slices.Clone(rooms[:n+1])); len(more) > len(all) {
			return more
		}
	}
	return all
}

// appendPlace adds the place in the rooms, if there is one and it is new.
func (l *layout) appendPlace(all []place, r *engine.Round, x *resident, gang policy.Ask, rooms []pool.Room) []place {
	left := -gang.GPUs.Count
	for _, room := range rooms {
		left += room.DeviceCount
	}
	on, err := pool.FitInRooms(r.FreePool, gang, rooms)
	if err != nil || len(rooms) > 1 && slices.ContainsFunc(all, func(p place) bool { return p.on.Equal(on) }) {
		return all
	}
	nodes := on.Nodes()
	p := place{on: on, left: left, loss: x.lossBySpread(max(len(nodes)-l.fewestNodes(on.FirstType(), on.Count()), 0))}
	most := 0.0
	for _, name := range nodes {
		most = max(most, l.lossOn(x.class, l.nodeIndex[name], 0))
	}
	p.loss += most
	return append(all, p)
}
