package capacity

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"fairbridge/policy"
)

// capacity is what looks saw of GPUs, by column: means over the looks of each
// partition, and of the whole cluster (partition "").
type capacity struct {
	partition, gpu                           []string
	looks                                    []int32
	gpus, held, idle, stranded, away, wanted []float64
}

// place is a row of capacity.
type place struct{ partition, gpu string }

// state is how GPUs stood, summed over looks.
type state struct{ gpus, held, idle, stranded, away, wanted float64 }

func (s *state) add(o state) {
	s.gpus, s.held, s.idle = s.gpus+o.gpus, s.held+o.held, s.idle+o.idle
	s.stranded, s.away, s.wanted = s.stranded+o.stranded, s.away+o.away, s.wanted+o.wanted
}

// slot is the stretch of time that has one look at each partition.
const slot = 10 * time.Minute

// capacityOf works out the means.
func capacityOf(looks []look) capacity {
	sums, n := map[place]*state{}, map[string]int{}
	nodes, jobs := map[string]bool{}, map[policy.JobID]bool{} // of the slot, for the whole cluster
	var last time.Time
	for i, l := range looks {
		if now := l.at.Truncate(slot); i == 0 || !now.Equal(last) {
			last = now
			n[""]++
			clear(nodes)
			clear(jobs)
		}
		n[l.partition]++
		l.each(sums, nodes, jobs)
	}
	return columnsOfCapacity(sums, n)
}

// each adds one look to the sums: to its partition's, and to the cluster's what
// no other partition's look in the slot had.
func (l *look) each(sums map[place]*state, nodes map[string]bool, jobs map[policy.JobID]bool) {
	add := func(where, gpu string, s state) {
		p := place{where, gpu}
		if sums[p] == nil {
			sums[p] = &state{}
		}
		sums[p].add(s)
	}
	free := freeOf(&l.Snapshot)
	for i := range l.Nodes {
		node := &l.Nodes[i]
		for _, d := range node.GPUs {
			s := free.state(node, d)
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
		s := state{wanted: float64(j.Ask.GPUs.Count * j.Count())}
		add(l.partition, j.Ask.GPUs.Type, s)
		if !jobs[j.ID] {
			add("", j.Ask.GPUs.Type, s)
		}
		jobs[j.ID] = true
	}
}

func columnsOfCapacity(sums map[place]*state, looks map[string]int) (c capacity) {
	places := slices.SortedFunc(maps.Keys(sums), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.gpu, b.gpu))
	})
	for _, p := range places {
		s, n := sums[p], float64(looks[p.partition])
		c.partition, c.gpu, c.looks = append(c.partition, p.partition), append(c.gpu, p.gpu), append(c.looks, int32(n))
		c.gpus, c.held, c.idle = append(c.gpus, s.gpus/n), append(c.held, s.held/n), append(c.idle, s.idle/n)
		c.stranded, c.away, c.wanted = append(c.stranded, s.stranded/n), append(c.away, s.away/n), append(c.wanted, s.wanted/n)
	}
	return c
}
