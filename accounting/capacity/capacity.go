package capacity

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/fragment"
)

// gpuGroup is what means are taken over: the GPUs of a type, as the snapshots of a partition
// show them; partition "" is the whole cluster.
type gpuGroup struct{ partition, gpuType string }

// groupMean is what the snapshots of a group show on average.
type groupMean struct {
	gpuGroup
	snapshotCount int
	gpuCounts
}

// gpuCounts is how GPUs stood, summed over snapshots.
type gpuCounts struct {
	total, held, idle, stranded, unavailable, requested float64
	unusable, meanUnusable, blocked                     float64 // see package fragment
}

func (s *gpuCounts) addCounts(o gpuCounts) {
	s.total, s.held, s.idle = s.total+o.total, s.held+o.held, s.idle+o.idle
	s.stranded, s.unavailable, s.requested = s.stranded+o.stranded, s.unavailable+o.unavailable, s.requested+o.requested
	s.unusable, s.meanUnusable, s.blocked = s.unusable+o.unusable, s.meanUnusable+o.meanUnusable, s.blocked+o.blocked
}

// divided is the mean over n snapshots.
func (s *gpuCounts) divided(n float64) gpuCounts {
	return gpuCounts{s.total / n, s.held / n, s.idle / n, s.stranded / n, s.unavailable / n, s.requested / n, s.unusable / n, s.meanUnusable / n, s.blocked / n}
}

// gpuSums are the sums of groups.
type gpuSums map[gpuGroup]*gpuCounts

func (s gpuSums) add(where, gpuType string, c gpuCounts) {
	p := gpuGroup{where, gpuType}
	if s[p] == nil {
		s[p] = &gpuCounts{}
	}
	s[p].addCounts(c)
}

// snapshotInterval is the stretch of time that has one snapshot of each partition.
const snapshotInterval = 10 * time.Minute

// meanByGroup works out the means.
func meanByGroup(list []snapshot) []groupMean {
	sums, n := gpuSums{}, map[string]int{}
	all := newWholeCluster()
	var last time.Time
	for i, l := range list {
		if now := l.at.Truncate(snapshotInterval); i == 0 || !now.Equal(last) {
			last = now
			n[""]++
			sums.addFragments("", &all.Snapshot)
			all = newWholeCluster()
		}
		n[l.partition]++
		l.addToSums(sums, all)
		sums.addFragments(l.partition, &l.Snapshot)
	}
	sums.addFragments("", &all.Snapshot)
	return divideSums(sums, n)
}

// addToSums adds one snapshot to the sums: to its partition's, and to the cluster's what
// no other partition's snapshot in the slot had.
func (l *snapshot) addToSums(sums gpuSums, all *wholeCluster) {
	free := sumHeldResources(&l.Snapshot)
	for i := range l.Nodes {
		node := &l.Nodes[i]
		isNew := all.addNode(node)
		for _, d := range node.GPUs {
			s := free.countGPUs(node, d)
			sums.add(l.partition, d.Type, s)
			if isNew {
				sums.add("", d.Type, s)
			}
		}
	}
	all.Now = l.Now
	for i := range l.Jobs {
		j := &l.Jobs[i]
		isNew := all.addJob(j)
		if !j.CanStart(l.Now) {
			continue
		}
		s := gpuCounts{requested: float64(j.Ask.GPUs.Count * j.TaskCount())}
		sums.add(l.partition, j.Ask.GPUs.Type, s)
		if isNew {
			sums.add("", j.Ask.GPUs.Type, s)
		}
	}
}

// divideSums divides sums by the number of snapshots of each partition.
func divideSums(sums gpuSums, snapshots map[string]int) (list []groupMean) {
	groups := slices.SortedFunc(maps.Keys(sums), func(a, b gpuGroup) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.gpuType, b.gpuType))
	})
	for _, g := range groups {
		list = append(list, groupMean{g, snapshots[g.partition], sums[g].divided(float64(snapshots[g.partition]))})
	}
	return list
}

// wholeCluster is what the snapshots of all partitions in one slot show together. A job that waits in
// several partitions is tried in the first.
type wholeCluster struct {
	policy.Snapshot
	nodes map[string]bool
	jobs  map[policy.JobID]bool
}

func newWholeCluster() *wholeCluster {
	return &wholeCluster{nodes: map[string]bool{}, jobs: map[policy.JobID]bool{}}
}

// addNode adds a node, and reports whether it is new.
func (c *wholeCluster) addNode(n *policy.Node) (isNew bool) {
	if isNew = !c.nodes[n.Name]; isNew {
		c.nodes[n.Name] = true
		c.Nodes = append(c.Nodes, *n)
	}
	return isNew
}

// addJob adds a job, and reports whether it is new.
func (c *wholeCluster) addJob(j *policy.Job) (isNew bool) {
	if isNew = !c.jobs[j.ID]; isNew {
		c.jobs[j.ID] = true
		c.Jobs = append(c.Jobs, *j)
	}
	return isNew
}

// addFragments adds what is free and of no use to waiting jobs to the sums of a partition.
func (s gpuSums) addFragments(where string, seen *policy.Snapshot) {
	m := fragment.Measure(seen)
	for i := range m.Places {
		p := &m.Places[i]
		s.add(where, p.Type, gpuCounts{unusable: float64(p.Unusable()), meanUnusable: p.MeanUnusable(m.Waiting)})
	}
	for gpuType, blocked := range m.BlockedByType {
		s.add(where, gpuType, gpuCounts{blocked: float64(blocked)})
	}
}

// The least a GPU needs on its node to be of any use.
const (
	minCPUsPerGPU  = 1
	minMemMBPerGPU = 1024
)

// heldResources is what the active jobs of a snapshot hold, by node.
type heldResources struct {
	gpusBySlot  map[policy.Slot]int // Count is zero in the key
	cpusByNode  map[string]float64
	memMBByNode map[string]float64
}

// sumHeldResources adds up what active jobs hold. A job's cores and memory are split
// over its nodes by devices.
func sumHeldResources(s *policy.Snapshot) heldResources {
	f := heldResources{map[policy.Slot]int{}, map[string]float64{}, map[string]float64{}}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		all := float64(max(j.On.Count(), 1))
		for _, on := range j.On {
			f.gpusBySlot[policy.Slot{Node: on.Node, Type: on.Type}] += on.Count
			f.cpusByNode[on.Node] += float64(j.Ask.CPUs) * float64(on.Count) / all
			f.memMBByNode[on.Node] += float64(j.Ask.MemMB) * float64(on.Count) / all
		}
	}
	return f
}

// countGPUs says how the devices of one type on a node stand.
func (f heldResources) countGPUs(n *policy.Node, d policy.NodeDevices) gpuCounts {
	held := min(f.gpusBySlot[policy.Slot{Node: n.Name, Type: d.Type}], d.Count)
	s := gpuCounts{total: float64(d.Count), held: float64(held)}
	idle := max(d.Count-d.SickCount-held, 0)
	if n.DownReason != "" {
		idle = 0
	}
	s.unavailable = float64(d.Count - held - idle)
	usable := min(int((float64(n.CPUs)-f.cpusByNode[n.Name])/minCPUsPerGPU), int((float64(n.MemMB)-f.memMBByNode[n.Name])/minMemMBPerGPU))
	s.stranded = float64(idle - min(idle, max(usable, 0)))
	s.idle = float64(idle)
	return s
}
