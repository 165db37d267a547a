package slots

import (
	"math"
	"slices"
	"time"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/measure"
)

// nodeSet are nodes on which jobs of one size take turns.
type nodeSet struct {
	jobs []*artifactJob
	// load counts the jobs it was given since they were last dealt; jobs that end are not taken off.
	load int
}

// gandiva is the artifact's Gandiva under way.
type gandiva struct {
	gpusPerNode, gpus, freeNodes int
	sizes                        []int              // of jobs, ascending
	sets                         map[int][]*nodeSet // by the GPUs of their jobs
	waiting                      []*artifactJob
	overheads                    overheads
}

// RunArtifactGandiva simulates the artifact's Gandiva: nodes are grouped by the GPUs of the
// jobs they run, groups grow and shrink with their demand, and jobs of a group take turns. Like the
// artifact it does not count down the load of a group when jobs end, looks after groups at arrivals
// alone until the last has come and then once a slot, and skips every second waiting job after a
// success. All nodes must have the same number of GPUs.
func RunArtifactGandiva(c exact.Config) (*measure.Run, error) {
	started := time.Now()
	jobs, gpus := newArtifactJobs(&c), cluster.CountGPUs(c.Nodes)
	if err := checkArtifactJobs(&c, jobs, gpus); err != nil {
		return nil, err
	}
	g := newGandiva(&c, jobs, gpus)
	slot, coming := c.Clock.MinInterval.Seconds(), arrivals(jobs)
	now, passed := 0.0, 0.0
	if len(jobs) > 0 {
		now = jobs[0].Arrive
	}
	for len(coming)+len(g.waiting)+g.countSets() > 0 {
		g.adjust()
		freed := g.execute(now, passed)
		for _, j := range coming.take(now) {
			if !g.place(j) {
				g.waiting = append(g.waiting, j)
			}
		}
		if freed {
			g.placeWaiting()
		}
		g.noteStarts(now)
		if len(coming) == 0 {
			now, passed = now+slot, slot
			continue
		}
		g.charge()
		next := coming.next(now, slot)
		now, passed = next, math.Trunc(next-now)
	}
	return newArtifactRun(&c, "artifact-gandiva", gpus, jobs, started), nil
}

func newGandiva(c *exact.Config, jobs []*artifactJob, gpus int) *gandiva {
	g := &gandiva{gpusPerNode: cluster.MaxGPUsPerNode(c.Nodes), gpus: gpus, freeNodes: len(c.Nodes), sets: map[int][]*nodeSet{}, overheads: newOverheads(c.Clock, gpus)}
	for _, j := range jobs {
		if i, known := slices.BinarySearch(g.sizes, j.GPUs); !known {
			g.sizes = slices.Insert(g.sizes, i, j.GPUs)
		}
	}
	return g
}

// nodesOfSet is how many nodes a group for jobs of so many GPUs has.
func (g *gandiva) nodesOfSet(size int) int { return (size + g.gpusPerNode - 1) / g.gpusPerNode }

// capacity is how many jobs of a group run at once.
func (g *gandiva) capacity(size int) int { return g.nodesOfSet(size) * g.gpusPerNode / size }

func (g *gandiva) countSets() int {
	n := 0
	for _, sets := range g.sets {
		n += len(sets)
	}
	return n
}

// sortByLoad puts the groups with the least load first.
func sortByLoad(sets []*nodeSet) {
	slices.SortStableFunc(sets, func(a, b *nodeSet) int { return a.load - b.load })
}

// deal gives each job to the group with the least load.
func deal(sets []*nodeSet, jobs []*artifactJob) {
	for _, j := range jobs {
		sets[0].jobs = append(sets[0].jobs, j)
		sets[0].load++
		sortByLoad(sets)
	}
}

// place puts a job into a group that has room, else a new one, else any. It reports whether
// there is one.
func (g *gandiva) place(j *artifactJob) bool {
	sets := g.sets[j.GPUs]
	switch {
	case len(sets) > 0 && sets[0].load+1 < g.capacity(j.GPUs):
	case g.nodesOfSet(j.GPUs) <= g.freeNodes:
		if len(sets) > 0 {
			sets = append(sets[1:], sets[0])
		}
		g.freeNodes -= g.nodesOfSet(j.GPUs)
		g.sets[j.GPUs] = append(sets, &nodeSet{jobs: []*artifactJob{j}, load: 1})
		sortByLoad(g.sets[j.GPUs])
		return true
	case len(sets) > 1:
		sets = append(sets[1:], sets[0])
	}
	if len(sets) == 0 {
		return false
	}
	first := sets[0]
	first.jobs = append(first.jobs, j)
	first.load++
	g.sets[j.GPUs] = append(sets[1:], first)
	sortByLoad(g.sets[j.GPUs])
	return true
}

// placeWaiting tries the jobs that wait; after a success the next one is passed over.
func (g *gandiva) placeWaiting() {
	for i := 0; i < len(g.waiting); i++ {
		if g.place(g.waiting[i]) {
			g.waiting = slices.Delete(g.waiting, i, i+1)
		}
	}
}

// adjust lets groups of each size grow or shrink to their part of the demand.
func (g *gandiva) adjust() {
	total, demand := 0, map[int]int{}
	for _, size := range g.sizes {
		for _, s := range g.sets[size] {
			demand[size] += len(s.jobs) * size
		}
		total += demand[size]
	}
	for _, size := range g.sizes {
		if demand[size] == 0 {
			continue
		}
		plan := int(float64(demand[size]) / float64(total) * float64(g.gpus))
		more := min(plan, demand[size]) - len(g.sets[size])*g.nodesOfSet(size)*g.gpusPerNode
		if more > 0 {
			g.grow(size, (more+size-1)/size)
		} else if more < 0 {
			g.shrink(size, (-more+size-1)/size)
		}
	}
}

// grow opens up to n groups and deals all jobs of the size again; not where the last
// attempt opened a group of one node.
func (g *gandiva) grow(size, n int) {
	openedLast := false
	for range n {
		if openedLast = g.nodesOfSet(size) <= g.freeNodes; openedLast {
			g.freeNodes -= g.nodesOfSet(size)
			g.sets[size] = append(g.sets[size], &nodeSet{})
		}
	}
	if openedLast && g.nodesOfSet(size) == 1 {
		return
	}
	var jobs []*artifactJob
	for _, s := range g.sets[size] {
		if len(s.jobs) > 0 {
			jobs = append(jobs, s.jobs...)
			s.jobs, s.load = nil, 0
		}
	}
	deal(g.sets[size], jobs)
}

// shrink gives up to n groups back, but for one, and deals their jobs to the others.
func (g *gandiva) shrink(size, n int) {
	var jobs []*artifactJob
	for range min(n, len(g.sets[size])-1) {
		jobs = append(jobs, g.sets[size][0].jobs...)
		g.sets[size] = g.sets[size][1:]
		g.freeNodes += g.nodesOfSet(size)
	}
	deal(g.sets[size], jobs)
}

// execute lets the first jobs of each group run for the seconds that passed until now. It
// reports whether a group became empty.
func (g *gandiva) execute(now, passed float64) (freed bool) {
	for _, size := range g.sizes {
		kept := g.sets[size][:0]
		for _, s := range g.sets[size] {
			if s.execute(now, passed, g.capacity(size)); len(s.jobs) > 0 {
				kept = append(kept, s)
				continue
			}
			freed = true
			g.freeNodes += g.nodesOfSet(size)
		}
		g.sets[size] = kept
	}
	return freed
}

// execute lets the first jobs of the group run; on whole minutes they then go behind the others.
func (s *nodeSet) execute(now, passed float64, capacity int) {
	n := min(len(s.jobs), capacity)
	for _, j := range s.jobs[:n] {
		j.executed += max(passed-j.overhead, 0)
		j.overhead = 0
		if j.executed >= j.Duration {
			j.end = now - (j.executed - j.Duration)
		}
	}
	if len(s.jobs) > n && math.Mod(now, 60) == 0 {
		s.jobs = slices.Concat(s.jobs[n:], s.jobs[:n])
	}
	s.jobs = slices.DeleteFunc(s.jobs, func(j *artifactJob) bool { return j.executed >= j.Duration })
}

// charge puts the overhead of an event on every job that is placed.
func (g *gandiva) charge() {
	restarts := g.overheads.nextEvent()
	for _, size := range g.sizes {
		for _, s := range g.sets[size] {
			for _, j := range s.jobs {
				j.overhead = g.overheads.seconds(size, restarts)
			}
		}
	}
}

// noteStarts notes which jobs run from now on.
func (g *gandiva) noteStarts(now float64) {
	for _, size := range g.sizes {
		for _, s := range g.sets[size] {
			for _, j := range s.jobs[:min(len(s.jobs), g.capacity(size))] {
				j.noteStart(now)
			}
		}
	}
}
