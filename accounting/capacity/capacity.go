package capacity

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"fairbridge/policy"
)

// group is what means are taken over: the GPUs of a type, as the snapshots of a partition
// show them; partition "" is the whole cluster.
type group struct{ partition, gpu string }

// groupMean is what the snapshots of a group show on average.
type groupMean struct {
	group
	snapshots int
	gpuState
}

// gpuState is how GPUs stood, summed over snapshots.
type gpuState struct{ gpus, held, idle, stranded, away, wanted float64 }

func (s *gpuState) add(o gpuState) {
	s.gpus, s.held, s.idle = s.gpus+o.gpus, s.held+o.held, s.idle+o.idle
	s.stranded, s.away, s.wanted = s.stranded+o.stranded, s.away+o.away, s.wanted+o.wanted
}

// slotLength is the stretch of time that has one snapshot of each partition.
const slotLength = 10 * time.Minute

// meanCapacity works out the means.
func meanCapacity(list []snapshot) []groupMean {
	sums, n := map[group]*gpuState{}, map[string]int{}
	nodes, jobs := map[string]bool{}, map[policy.JobID]bool{} // of the slot, for the whole cluster
	var last time.Time
	for i, l := range list {
		if now := l.at.Truncate(slotLength); i == 0 || !now.Equal(last) {
			last = now
			n[""]++
			clear(nodes)
			clear(jobs)
		}
		n[l.partition]++
		l.addTo(sums, nodes, jobs)
	}
	return means(sums, n)
}

// addTo adds one snapshot to the sums: to its partition's, and to the cluster's what
// no other partition's snapshot in the slot had.
func (l *snapshot) addTo(sums map[group]*gpuState, nodes map[string]bool, jobs map[policy.JobID]bool) {
	add := func(where, gpu string, s gpuState) {
		p := group{where, gpu}
		if sums[p] == nil {
			sums[p] = &gpuState{}
		}
		sums[p].add(s)
	}
	free := heldByJobs(&l.Snapshot)
	for i := range l.Nodes {
		node := &l.Nodes[i]
		for _, d := range node.GPUs {
			s := free.stateOf(node, d)
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
		s := gpuState{wanted: float64(j.Ask.GPUs.Count * j.TaskCount())}
		add(l.partition, j.Ask.GPUs.Type, s)
		if !jobs[j.ID] {
			add("", j.Ask.GPUs.Type, s)
		}
		jobs[j.ID] = true
	}
}

// means divides sums by the number of snapshots of each partition.
func means(sums map[group]*gpuState, snapshots map[string]int) (list []groupMean) {
	groups := slices.SortedFunc(maps.Keys(sums), func(a, b group) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.gpu, b.gpu))
	})
	for _, g := range groups {
		s, n := sums[g], float64(snapshots[g.partition])
		list = append(list, groupMean{g, snapshots[g.partition], gpuState{s.gpus / n, s.held / n, s.idle / n, s.stranded / n, s.away / n, s.wanted / n}})
	}
	return list
}
