package capacity

import (
	"cmp"
	"maps"
	"slices"
	"time"
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
