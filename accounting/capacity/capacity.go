package capacity

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"fairbridge/policy"
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
type gpuCounts struct{ total, held, idle, stranded, unavailable, requested float64 }

func (s *gpuCounts) addCounts(o gpuCounts) {
	s.total, s.held, s.idle = s.total+o.total, s.held+o.held, s.idle+o.idle
	s.stranded, s.unavailable, s.requested = s.stranded+o.stranded, s.unavailable+o.unavailable, s.requested+o.requested
}

// snapshotInterval is the stretch of time that has one snapshot of each partition.
const snapshotInterval = 10 * time.Minute

// meanByGroup works out the means.
func meanByGroup(list []snapshot) []groupMean {
	sums, n := map[gpuGroup]*gpuCounts{}, map[string]int{}
	nodes, jobs := map[string]bool{}, map[policy.JobID]bool{} // of the slot, for the whole cluster
	var last time.Time
	for i, l := range list {
		if now := l.at.Truncate(snapshotInterval); i == 0 || !now.Equal(last) {
			last = now
			n[""]++
			clear(nodes)
			clear(jobs)
		}
		n[l.partition]++
		l.addToSums(sums, nodes, jobs)
	}
	return divideSums(sums, n)
}

// addToSums adds one snapshot to the sums: to its partition's, and to the cluster's what
// no other partition's snapshot in the slot had.
func (l *snapshot) addToSums(sums map[gpuGroup]*gpuCounts, nodes map[string]bool, jobs map[policy.JobID]bool) {
	add := func(where, gpu string, s gpuCounts) {
		p := gpuGroup{where, gpu}
		if sums[p] == nil {
			sums[p] = &gpuCounts{}
		}
		sums[p].addCounts(s)
	}
	free := sumHeldResources(&l.Snapshot)
	for i := range l.Nodes {
		node := &l.Nodes[i]
		for _, d := range node.GPUs {
			s := free.countGPUs(node, d)
			add(l.partition, d.Type, s)
			if !nodes[node.Name] {
				add("", d.Type, s)
			}
		}
		nodes[node.Name] = true
	}
	for i := range l.Jobs {
		j := &l.Jobs[i]
		if !j.CanStart(l.Now) {
			continue
		}
		s := gpuCounts{requested: float64(j.Ask.GPUs.Count * j.TaskCount())}
		add(l.partition, j.Ask.GPUs.Type, s)
		if !jobs[j.ID] {
			add("", j.Ask.GPUs.Type, s)
		}
		jobs[j.ID] = true
	}
}

// divideSums divides sums by the number of snapshots of each partition.
func divideSums(sums map[gpuGroup]*gpuCounts, snapshots map[string]int) (list []groupMean) {
	groups := slices.SortedFunc(maps.Keys(sums), func(a, b gpuGroup) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.gpuType, b.gpuType))
	})
	for _, g := range groups {
		s, n := sums[g], float64(snapshots[g.partition])
		list = append(list, groupMean{g, snapshots[g.partition], gpuCounts{s.total / n, s.held / n, s.idle / n, s.stranded / n, s.unavailable / n, s.requested / n}})
	}
	return list
}
