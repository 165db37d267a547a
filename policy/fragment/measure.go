// Package fragment measures the free GPUs of a cluster that waiting jobs cannot use.
//
// By Q. Weng, L. Yang, Y. Yu, W. Wang, X. Tang, G. Yang, L. Zhang, "Beware of Fragmentation: Scheduling
// GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC 2023, fragmentation is what a task drawn
// from the workload could not use of what is free: on a node where it does not fit, all that is free there. Here the
// workload is the jobs that wait, each task of an array one of them, and a node is of use to a gang
// if the gang could start now with a part of it there. GPUs of a type that no waiting job
// would take count as unwanted, not as fragments: no better placement would let a job have them.
package fragment

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// Place is the free GPUs of one type on one node.
type Place struct {
	Node, Type string
	Free       int  // healthy ones that no job holds, on a node that is up
	UsableBy   int  // waiting gangs that could start now with some of them
	IsWanted   bool // a waiting job would take GPUs of the type
}

// Measurement is what is free, and for how many of the gangs that wait.
type Measurement struct {
	Places  []Place // in order of the nodes; only those with something free
	Waiting int     // gangs that could start if there were room
	// BlockedByType is the GPUs that gangs ask for which cannot start although as many are free where they
	// may run, with the cores and memory that they need, by the type that they ask for ("": any). They
	// would start if the free GPUs stood together.
	BlockedByType map[string]int
}

// Measure measures a snapshot.
func Measure(s *policy.Snapshot) Measurement {
	m := &measuring{Pool: pool.New(s), index: map[policy.Slot]int{}, Measurement: Measurement{BlockedByType: map[string]int{}}}
	m.addPlaces(s)
	for _, g := range m.groupGangs(s) {
		m.Waiting += g.count
		m.addGangs(g)
	}
	return m.Measurement
}

// Unusable is how many free GPUs of a place no waiting gang can use; 0 where none would take the type.
func (p *Place) Unusable() int {
	if p.IsWanted && p.UsableBy == 0 {
		return p.Free
	}
	return 0
}

// MeanUnusable is how many free GPUs of a place one of so many waiting gangs cannot use on average.
func (p *Place) MeanUnusable(waiting int) float64 {
	if !p.IsWanted || waiting == 0 {
		return 0
	}
	return float64(p.Free) * (1 - float64(p.UsableBy)/float64(waiting))
}

type measuring struct {
	*pool.Pool
	Measurement
	index map[policy.Slot]int // of places, by slot without count
}

func (m *measuring) addPlaces(s *policy.Snapshot) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.DownReason != "" {
			continue
		}
		for _, d := range n.GPUs {
			if free := m.FreeOnNode(n.Name, d.Type); free > 0 {
				m.index[policy.Slot{Node: n.Name, Type: d.Type}] = len(m.Places)
				m.Places = append(m.Places, Place{Node: n.Name, Type: d.Type, Free: free})
			}
		}
	}
}

// gangs are waiting gangs that ask for the same.
type gangs struct {
	partition string
	ask       policy.Ask
	count     int
}

// groupGangs returns the waiting gangs, those that ask for the same together. Time limits are the same
// that reach as many maintenances.
func (m *measuring) groupGangs(s *policy.Snapshot) []*gangs {
	var out []*gangs
	byText := map[string]*gangs{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.CanStart(s.Now) || j.Ask.GPUs.Count <= 0 {
			continue
		}
		ask := j.AskWithLimit()
		text := fmt.Sprintf("%s %d %+v", j.Partition, m.CountWindowsReached(j.Limit), j.Ask)
		if byText[text] == nil {
			byText[text] = &gangs{partition: j.Partition, ask: ask}
			out = append(out, byText[text])
		}
		byText[text].count += j.TaskCount()
	}
	return out
}

// addGangs notes which places gangs could use, or that they are blocked.
func (m *measuring) addGangs(g *gangs) {
	types := m.TypesFor(&g.ask)
	m.want(types)
	isPlaced, isEnough := false, false
	for _, t := range types {
		if t == "" && isPlaced {
			break // it would be put on a mix of types only where none has room
		}
		ask := g.ask
		ask.GPUs.Type = t
		rooms, sum := m.ListRooms(g.partition, ask), 0
		for _, r := range rooms {
			sum += r.DeviceCount
		}
		isEnough = isEnough || sum >= ask.GPUs.Count
		if sum >= ask.GPUs.Count && m.addRooms(g, ask, rooms) {
			isPlaced = true
		}
	}
	if isEnough && !isPlaced {
		m.BlockedByType[g.ask.GPUs.Type] += g.ask.GPUs.Count * g.count
	}
}

// want notes that GPUs of the types are wanted.
func (m *measuring) want(types []string) {
	for i := range m.Places {
		m.Places[i].IsWanted = m.Places[i].IsWanted || slices.Contains(types, m.Places[i].Type)
	}
}

// addRooms notes which rooms gangs could use, and reports whether there is one.
func (m *measuring) addRooms(g *gangs, ask policy.Ask, rooms []pool.Room) (isUsable bool) {
	type kind struct {
		devices    int
		isRequired bool
	}
	known := map[kind]bool{} // rooms of one size are as good as each other
	for i, r := range rooms {
		k := kind{r.DeviceCount, r.IsRequired}
		usable, ok := known[k]
		if !ok {
			usable = m.hasPlaceWith(ask, rooms, i)
			known[k] = usable
		}
		if usable {
			isUsable = true
			m.note(r.NodeName, ask.GPUs.Type, g.count)
		}
	}
	return isUsable
}

// hasPlaceWith reports whether the gang has a place of which the room is a part.
func (m *measuring) hasPlaceWith(ask policy.Ask, rooms []pool.Room, at int) bool {
	rooms = slices.Clone(rooms)
	if !rooms[at].IsRequired {
		rooms[at].IsRequired = true
		ask.RequiredNodes = append(slices.Clone(ask.RequiredNodes), rooms[at].NodeName)
	}
	_, err := pool.FitInRooms(m.Pool, ask, rooms)
	return err == nil
}

// note notes that so many gangs could use the free GPUs of a type on a node; "": of all types.
func (m *measuring) note(node, gpuType string, count int) {
	if i, ok := m.index[policy.Slot{Node: node, Type: gpuType}]; ok {
		m.Places[i].UsableBy += count
	}
	for i := range m.Places {
		if gpuType == "" && m.Places[i].Node == node {
			m.Places[i].UsableBy += count
		}
	}
}
