package slurmrun

import (
	"cmp"
	"maps"
	"slices"

	"fairbridge/policy"
	"fairbridge/replica/fragments"
	"fairbridge/replica/measure"
	"fairbridge/replica/sim"
)

// gpuPool are the GPUs of one type on one node.
type gpuPool struct {
	nodeName, gpuType string
	freeGPUs          int
}

// jobShape is what a job needs of idle GPUs. Cores and memory are not looked at.
type jobShape struct {
	nodeCount, gpusPerNode int
	totalGPUs              int // of a job that says no number for each node
	gpuType                string
	bannedNodes            string // its excluded nodes, joined: a name for the set
}

// gpuCount is how many GPUs it takes.
func (s jobShape) gpuCount() int { return cmp.Or(s.totalGPUs, s.nodeCount*s.gpusPerNode) }

// idleMeter sums the GPU-seconds that stood idle while waiting jobs would have fitted.
type idleMeter struct {
	pools         []gpuPool
	bannedBySet   map[string][]string
	waitingCounts map[jobShape]int
	shapes        []jobShape // of waitingCounts, the largest first
	looks         fragments.Meter
}

// clusterChange is a change of what waits, or of what is free.
type clusterChange struct {
	at      float64
	waiting int // jobs of the shape more, or fewer
	shape   jobShape
	run     *sim.EndedRun // that starts or ends; nil: none
	isEnd   bool
}

// addIdle goes through the whole run for what stood idle. A stopped job waits from the moment at which it
// was stopped.
func (r *runner) addIdle(out *measure.Run) {
	m := newIdleMeter(r.Nodes)
	out.FillableIdleGPUSeconds = m.sumIdle(r.listClusterChanges(m))
	m.looks.AddTo(out, out.MakespanSeconds)
}

// sumIdle goes through changes that are sorted by time.
func (m *idleMeter) sumIdle(changes []clusterChange) (gpuSeconds float64) {
	last := 0.0
	for i := range changes {
		if c := &changes[i]; c.at > last {
			m.looks.Look(last, m.newSnapshot)
			gpuSeconds += float64(m.countFillable()) * (c.at - last)
			last = c.at
		}
		m.applyChange(&changes[i])
	}
	return gpuSeconds
}

func (r *runner) listClusterChanges(m *idleMeter) []clusterChange {
	f := resultBuilder{workloadStart: r.workloadStart}
	var changes []clusterChange
	shapes := make([]jobShape, len(r.jobs))
	for i := range r.jobs {
		shapes[i] = m.shapeOf(&r.specs[i])
		changes = append(changes, clusterChange{at: r.jobs[i].Arrive, waiting: 1, shape: shapes[i]})
	}
	runs := r.world.EndedRuns()
	for i := range runs {
		e := &runs[i]
		shape := shapes[r.jobIndexes.findEnded(e)]
		changes = append(changes, clusterChange{at: f.secondsSinceStart(e.Start), waiting: -1, shape: shape, run: e})
		end := clusterChange{at: f.secondsSinceStart(e.End), run: e, shape: shape, isEnd: true}
		if e.EndState == "REQUEUED" || e.EndState == "NODE_FAIL" {
			end.waiting = 1
		}
		changes = append(changes, end)
	}
	slices.SortStableFunc(changes, func(a, b clusterChange) int { return cmp.Compare(a.at, b.at) })
	return changes
}

// newIdleMeter begins with all GPUs free. Nodes that are down, or set aside for a time, have
// none that count.
func newIdleMeter(nodes []policy.Node) *idleMeter {
	m := &idleMeter{bannedBySet: map[string][]string{}, waitingCounts: map[jobShape]int{}}
	for i := range nodes {
		n := &nodes[i]
		if n.DownReason != "" || len(n.Windows) > 0 {
			continue
		}
		for _, d := range n.GPUs {
			m.pools = append(m.pools, gpuPool{n.Name, d.Type, d.Count - d.SickCount})
		}
	}
	return m
}

func (m *idleMeter) shapeOf(s *sim.JobSpec) jobShape {
	set := ""
	for _, n := range s.ExcludedNodes {
		set += n + ","
	}
	m.bannedBySet[set] = s.ExcludedNodes
	return jobShape{nodeCount: s.MinNodes, gpusPerNode: s.GPUsPerNode, totalGPUs: s.GPUs, gpuType: s.GPUType, bannedNodes: set}
}

func (m *idleMeter) applyChange(c *clusterChange) {
	if c.waiting != 0 {
		before := len(m.waitingCounts)
		if m.waitingCounts[c.shape] += c.waiting; m.waitingCounts[c.shape] == 0 {
			delete(m.waitingCounts, c.shape)
		}
		if len(m.waitingCounts) != before {
			m.sortShapes()
		}
	}
	if c.run == nil {
		return
	}
	each, rest := c.run.GPUCount/len(c.run.Nodes), c.run.GPUCount%len(c.run.Nodes)
	for i := range m.pools {
		p := &m.pools[i]
		if p.gpuType != c.run.GPUType || !slices.Contains(c.run.Nodes, p.nodeName) {
			continue
		}
		part := each
		if rest > 0 { // which of its nodes have one more is not recorded
			part, rest = part+1, rest-1
		}
		if !c.isEnd {
			part = -part
		}
		p.freeGPUs += part
	}
}

func (m *idleMeter) sortShapes() {
	m.shapes = slices.SortedFunc(maps.Keys(m.waitingCounts), func(a, b jobShape) int {
		return cmp.Or(cmp.Compare(b.gpuCount(), a.gpuCount()), cmp.Compare(b.gpusPerNode, a.gpusPerNode), cmp.Compare(a.gpuType, b.gpuType),
			cmp.Compare(a.bannedNodes, b.bannedNodes), cmp.Compare(a.nodeCount, b.nodeCount))
	})
}

// countFillable is how many of the free GPUs the waiting jobs would take, were the largest
// placed first.
func (m *idleMeter) countFillable() int {
	free := 0
	for i := range m.pools {
		free += max(m.pools[i].freeGPUs, 0)
	}
	if free == 0 || len(m.shapes) == 0 {
		return 0
	}
	pools, left := slices.Clone(m.pools), free
	for _, s := range m.shapes {
		for range m.waitingCounts[s] {
			if s.gpuCount() > left || !m.placeShape(pools, s) {
				break
			}
			left -= s.gpuCount()
		}
	}
	return free - left
}

// placeShape takes a job's GPUs off the pools, of one type; false: it does not fit.
func (m *idleMeter) placeShape(pools []gpuPool, s jobShape) bool {
	var usable []*gpuPool
	for i := range pools {
		p := &pools[i]
		if p.freeGPUs >= max(s.gpusPerNode, 1) && (s.gpuType == "" || s.gpuType == p.gpuType) && !slices.Contains(m.bannedBySet[s.bannedNodes], p.nodeName) {
			usable = append(usable, p)
		}
	}
	slices.SortStableFunc(usable, func(a, b *gpuPool) int {
		return cmp.Or(cmp.Compare(a.gpuType, b.gpuType), cmp.Compare(a.freeGPUs, b.freeGPUs))
	})
	for len(usable) > 0 {
		n := slices.IndexFunc(usable, func(p *gpuPool) bool { return p.gpuType != usable[0].gpuType })
		if n < 0 {
			n = len(usable)
		}
		if takeGPUs(usable[:n], s) {
			return true
		}
		usable = usable[n:]
	}
	return false
}

// takeGPUs takes a job's GPUs off pools of one type, each with room for what it needs of a
// node, the emptiest last; false: it does not fit.
func takeGPUs(pools []*gpuPool, s jobShape) bool {
	if s.gpusPerNode > 0 {
		if len(pools) < s.nodeCount {
			return false
		}
		for _, p := range pools[:s.nodeCount] {
			p.freeGPUs -= s.gpusPerNode
		}
		return true
	}
	sum := 0
	for _, p := range pools {
		sum += p.freeGPUs
	}
	if sum < s.totalGPUs || len(pools) < s.nodeCount {
		return false
	}
	left := s.totalGPUs
	for _, p := range slices.Backward(pools) {
		part := min(left, p.freeGPUs)
		p.freeGPUs -= part
		left -= part
	}
	return true
}

// snapshotPartition is that of all nodes and jobs of an idleMeter's snapshots.
const snapshotPartition = "all"

// newSnapshot is what is free, and what waits for it, as package fragment reads it.
func (m *idleMeter) newSnapshot() *policy.Snapshot {
	s := &policy.Snapshot{}
	for i := range m.pools {
		p := &m.pools[i]
		if n := len(s.Nodes); n == 0 || s.Nodes[n-1].Name != p.nodeName {
			s.Nodes = append(s.Nodes, policy.Node{Name: p.nodeName, Partitions: []string{snapshotPartition}})
		}
		n := &s.Nodes[len(s.Nodes)-1]
		n.GPUs = append(n.GPUs, policy.NodeDevices{Type: p.gpuType, Count: max(p.freeGPUs, 0)})
	}
	for _, shape := range m.shapes {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(len(s.Jobs) + 1), Partition: snapshotPartition, State: policy.Pending, Tasks: m.waitingCounts[shape], Ask: policy.Ask{
			GPUs: policy.GPUs{Type: shape.gpuType, Count: shape.gpuCount()}, MinNodes: shape.nodeCount, PerNode: shape.gpusPerNode, ExcludedNodes: m.bannedBySet[shape.bannedNodes]}})
	}
	return s
}
