package assign

import (
	"cmp"
	"math"
	"slices"
)

// MachineGroup is a number of like machines.
type MachineGroup struct {
	Type      int     // column of the times
	Count     int     // machines
	FreeAfter float64 // until they are free
}

// Position is where a job stands in the queue of a machine of a group: FromEnd 1
// is run last. Group is -1 for a job that can run nowhere.
type Position struct{ Group, FromEnd int }

// AssignPositions divides jobs among machines so that the sum of their completion times
// is least. times[i][t] is how long job i runs on a machine of type t, +Inf
// where it cannot; width[i] is how many machines' worth of time it takes from
// those behind it (1 in the paper, the size of the gang for more). A job that is
// the k-th from the end costs its own time, k-1 times its time and width for
// those behind it, and the delay of its machine.
//
// It is a min-cost flow from jobs to (group, position), solved by successive
// shortest paths; a position opens when the one behind it is full. With effort,
// about the number of steps allowed, too many jobs are not all solved exactly:
// the longest are put behind the others greedily, longest first. 0: no limit.
func AssignPositions(times [][]float64, width []float64, groups []MachineGroup, effort float64) []Position {
	f := &flowSolution{times: times, widths: width, groups: groups, positions: make([]Position, len(times)), shortestTimes: make([]float64, len(times))}
	f.openFirstPositions()
	order := f.orderLongestFirst()
	tail := len(order) - f.countExactJobs(len(order), effort)
	for _, i := range order[:tail] {
		f.placeGreedily(i)
	}
	f.dropFullClasses()
	for _, i := range order[tail:] {
		f.insertJob(i)
	}
	return f.positions
}

// flowSolution is the state of a solution: classes of like positions and the jobs in them.
type flowSolution struct {
	times           [][]float64
	widths          []float64
	groups          []MachineGroup
	positions       []Position
	shortestTimes   []float64 // by job: its shortest time
	classes         []positionClass
	pathCosts       []float64
	previousClasses []int
	movedJobs       []int32
}

// positionClass is a position in the queues of all machines of a group.
type positionClass struct {
	group, fromEnd int
	roomLeft       int
	jobs           []int32
	cheapestMoves  []jobMove // to each class: the cheapest job to move there
}

type jobMove struct {
	cost float64
	job  int32
}

func (f *flowSolution) openFirstPositions() {
	for i := range f.positions {
		f.positions[i].Group = -1
		f.shortestTimes[i] = math.Inf(1)
		for b := range f.groups {
			if f.groups[b].Count > 0 {
				f.shortestTimes[i] = min(f.shortestTimes[i], f.times[i][f.groups[b].Type])
			}
		}
	}
	for b := range f.groups {
		if f.groups[b].Count > 0 {
			f.openPosition(b, 1)
		}
	}
}

// orderLongestFirst returns the jobs that can run somewhere, longest first: each then
// pushes few of those before it aside.
func (f *flowSolution) orderLongestFirst() []int {
	var order []int
	for i, t := range f.shortestTimes {
		if !math.IsInf(t, 1) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.shortestTimes[b]*f.widths[b], f.shortestTimes[a]*f.widths[a]), cmp.Compare(a, b))
	})
	return order
}

// countExactJobs returns how many of n jobs the effort allows to be solved exactly: n
// jobs find a path over all pairs of classes.
func (f *flowSolution) countExactJobs(n int, effort float64) int {
	machines := 0
	for _, b := range f.groups {
		machines += b.Count
	}
	for effort > 0 && n > 64 {
		classes := float64(len(f.groups)) * float64(n/max(machines, 1)+2)
		if float64(n)*classes*classes <= effort {
			break
		}
		n /= 2
	}
	return n
}

func (f *flowSolution) openPosition(group, from int) {
	f.classes = append(f.classes, positionClass{group: group, fromEnd: from, roomLeft: f.groups[group].Count})
	d := len(f.classes) - 1
	for c := range f.classes {
		k := &f.classes[c]
		for len(k.cheapestMoves) <= d {
			k.cheapestMoves = append(k.cheapestMoves, jobMove{cost: math.Inf(1)})
		}
		for _, j := range k.jobs {
			k.offerMove(d, f.moveCost(j, c, d), j)
		}
	}
	f.pathCosts = append(f.pathCosts, 0)
	f.previousClasses = append(f.previousClasses, 0)
	f.movedJobs = append(f.movedJobs, 0)
}

func (f *flowSolution) positionCost(i, c int) float64 {
	k := &f.classes[c]
	b := &f.groups[k.group]
	t := f.times[i][b.Type]
	return t*(1+float64(k.fromEnd-1)*f.widths[i]) + b.FreeAfter
}

// moveCost is what moving a job from class c to class d costs.
func (f *flowSolution) moveCost(job int32, c, d int) float64 {
	to := f.positionCost(int(job), d)
	if math.IsInf(to, 1) {
		return to
	}
	return to - f.positionCost(int(job), c)
}

func (k *positionClass) offerMove(d int, cost float64, job int32) {
	if m := &k.cheapestMoves[d]; cost < m.cost {
		m.cost, m.job = cost, job
	}
}

// addToClass adds the job to class c and opens the next position when that is full.
func (f *flowSolution) addToClass(job int32, c int) {
	k := &f.classes[c]
	k.jobs = append(k.jobs, job)
	f.positions[job] = Position{k.group, k.fromEnd}
	for d := range f.classes {
		if d != c {
			k.offerMove(d, f.moveCost(job, c, d), job)
		}
	}
}

func (f *flowSolution) takeRoom(c int) {
	f.classes[c].roomLeft--
	if k := f.classes[c]; k.roomLeft == 0 {
		f.openPosition(k.group, k.fromEnd+1)
	}
}

// removeFromClass takes the job out of class c.
func (f *flowSolution) removeFromClass(job int32, c int) {
	k := &f.classes[c]
	k.jobs = slices.DeleteFunc(k.jobs, func(j int32) bool { return j == job })
	for d := range k.cheapestMoves {
		if k.cheapestMoves[d].job != job || d == c {
			continue
		}
		k.cheapestMoves[d] = jobMove{cost: math.Inf(1)}
		for _, j := range k.jobs {
			k.offerMove(d, f.moveCost(j, c, d), j)
		}
	}
}

// placeGreedily puts the job where it is cheapest now, without moving others.
func (f *flowSolution) placeGreedily(i int) {
	best := -1
	for c := range f.classes {
		if f.classes[c].roomLeft > 0 && (best < 0 || f.positionCost(i, c) < f.positionCost(i, best)) {
			best = c
		}
	}
	f.positions[i] = Position{f.classes[best].group, f.classes[best].fromEnd}
	f.takeRoom(best)
}

// dropFullClasses forgets classes that are full: their jobs stay where they are.
func (f *flowSolution) dropFullClasses() {
	f.classes = slices.DeleteFunc(f.classes, func(k positionClass) bool { return k.roomLeft == 0 })
	n := len(f.classes)
	for c := range f.classes {
		f.classes[c].cheapestMoves = slices.Repeat([]jobMove{{cost: math.Inf(1)}}, n)
	}
	f.pathCosts, f.previousClasses, f.movedJobs = f.pathCosts[:n], f.previousClasses[:n], f.movedJobs[:n]
}

// insertJob adds the job along the cheapest chain of moves to a place with room.
func (f *flowSolution) insertJob(i int) {
	for c := range f.classes {
		f.pathCosts[c], f.previousClasses[c] = f.positionCost(i, c), -1
	}
	for f.shortenPaths() {
	}
	end := -1
	for c := range f.classes {
		if f.classes[c].roomLeft > 0 && (end < 0 || f.pathCosts[c] < f.pathCosts[end]) {
			end = c
		}
	}
	for c := end; ; c = f.previousClasses[c] {
		prev := f.previousClasses[c]
		if prev < 0 {
			f.addToClass(int32(i), c)
			break
		}
		f.removeFromClass(f.movedJobs[c], prev)
		f.addToClass(f.movedJobs[c], c)
	}
	f.takeRoom(end)
}

// shortenPaths shortens the ways to all classes over those that are full, and reports
// whether it could. Negative changes exist, negative cycles do not.
func (f *flowSolution) shortenPaths() bool {
	shorter := false
	for c := range f.classes {
		if f.classes[c].roomLeft > 0 {
			continue
		}
		for d, m := range f.classes[c].cheapestMoves {
			if way := f.pathCosts[c] + m.cost; way < f.pathCosts[d]-1e-9*(1+math.Abs(way)) {
				f.pathCosts[d], f.previousClasses[d], f.movedJobs[d] = way, c, m.job
				shorter = true
			}
		}
	}
	return shorter
}
