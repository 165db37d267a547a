package assign

import (
	"cmp"
	"math"
	"slices"
)

// MachineGroup is a number of like machines.
type MachineGroup struct {
	Type  int     // column of the times
	Count int     // machines
	Delay float64 // until they are free
}

// Position is where a job stands in the queue of a machine of a group: FromEnd 1
// is run last. Group is -1 for a job that can run nowhere.
type Position struct{ Group, FromEnd int }

// ToGroups divides jobs among machines so that the sum of their completion times
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
func ToGroups(times [][]float64, width []float64, groups []MachineGroup, effort float64) []Position {
	f := &flow{times: times, width: width, groups: groups, place: make([]Position, len(times)), least: make([]float64, len(times))}
	f.openFirst()
	order := f.order()
	tail := len(order) - f.exactJobs(len(order), effort)
	for _, i := range order[:tail] {
		f.placeGreedily(i)
	}
	f.dropFull()
	for _, i := range order[tail:] {
		f.insert(i)
	}
	return f.place
}

// flow is the state of a solution: classes of like positions and the jobs in them.
type flow struct {
	times   [][]float64
	width   []float64
	groups  []MachineGroup
	place   []Position
	least   []float64 // by job: its shortest time
	classes []class
	dist    []float64
	from    []int
	via     []int32
}

// class is a position in the queues of all machines of a group.
type class struct {
	group, fromEnd int
	room           int
	jobs           []int32
	moves          []move // to each class: the cheapest job to move there
}

type move struct {
	cost float64
	job  int32
}

func (f *flow) openFirst() {
	for i := range f.place {
		f.place[i].Group = -1
		f.least[i] = math.Inf(1)
		for b := range f.groups {
			if f.groups[b].Count > 0 {
				f.least[i] = min(f.least[i], f.times[i][f.groups[b].Type])
			}
		}
	}
	for b := range f.groups {
		if f.groups[b].Count > 0 {
			f.openPosition(b, 1)
		}
	}
}

// order returns the jobs that can run somewhere, longest first: each then
// pushes few of those before it aside.
func (f *flow) order() []int {
	var order []int
	for i, t := range f.least {
		if !math.IsInf(t, 1) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.least[b]*f.width[b], f.least[a]*f.width[a]), cmp.Compare(a, b))
	})
	return order
}

// exactJobs returns how many of n jobs the effort allows to be solved exactly: n
// jobs find a path over all pairs of classes.
func (f *flow) exactJobs(n int, effort float64) int {
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

func (f *flow) openPosition(group, from int) {
	f.classes = append(f.classes, class{group: group, fromEnd: from, room: f.groups[group].Count})
	d := len(f.classes) - 1
	for c := range f.classes {
		k := &f.classes[c]
		for len(k.moves) <= d {
			k.moves = append(k.moves, move{cost: math.Inf(1)})
		}
		for _, j := range k.jobs {
			k.offerMove(d, f.moveCost(j, c, d), j)
		}
	}
	f.dist = append(f.dist, 0)
	f.from = append(f.from, 0)
	f.via = append(f.via, 0)
}

func (f *flow) cost(i, c int) float64 {
	k := &f.classes[c]
	b := &f.groups[k.group]
	t := f.times[i][b.Type]
	return t*(1+float64(k.fromEnd-1)*f.width[i]) + b.Delay
}

// moveCost is what moving a job from class c to class d costs.
func (f *flow) moveCost(job int32, c, d int) float64 {
	to := f.cost(int(job), d)
	if math.IsInf(to, 1) {
		return to
	}
	return to - f.cost(int(job), c)
}

func (k *class) offerMove(d int, cost float64, job int32) {
	if m := &k.moves[d]; cost < m.cost {
		m.cost, m.job = cost, job
	}
}

// join adds the job to class c and opens the next position when that is full.
func (f *flow) join(job int32, c int) {
	k := &f.classes[c]
	k.jobs = append(k.jobs, job)
	f.place[job] = Position{k.group, k.fromEnd}
	for d := range f.classes {
		if d != c {
			k.offerMove(d, f.moveCost(job, c, d), job)
		}
	}
}

func (f *flow) fill(c int) {
	f.classes[c].room--
	if k := f.classes[c]; k.room == 0 {
		f.openPosition(k.group, k.fromEnd+1)
	}
}

// remove takes the job out of class c.
func (f *flow) remove(job int32, c int) {
	k := &f.classes[c]
	k.jobs = slices.DeleteFunc(k.jobs, func(j int32) bool { return j == job })
	for d := range k.moves {
		if k.moves[d].job != job || d == c {
			continue
		}
		k.moves[d] = move{cost: math.Inf(1)}
		for _, j := range k.jobs {
			k.offerMove(d, f.moveCost(j, c, d), j)
		}
	}
}

// placeGreedily puts the job where it is cheapest now, without moving others.
func (f *flow) placeGreedily(i int) {
	best := -1
	for c := range f.classes {
		if f.classes[c].room > 0 && (best < 0 || f.cost(i, c) < f.cost(i, best)) {
			best = c
		}
	}
	f.place[i] = Position{f.classes[best].group, f.classes[best].fromEnd}
	f.fill(best)
}

// dropFull forgets classes that are full: their jobs stay where they are.
func (f *flow) dropFull() {
	f.classes = slices.DeleteFunc(f.classes, func(k class) bool { return k.room == 0 })
	n := len(f.classes)
	for c := range f.classes {
		f.classes[c].moves = slices.Repeat([]move{{cost: math.Inf(1)}}, n)
	}
	f.dist, f.from, f.via = f.dist[:n], f.from[:n], f.via[:n]
}

// insert adds the job along the cheapest chain of moves to a place with room.
func (f *flow) insert(i int) {
	end := f.findChain(i)
	for c := end; ; c = f.from[c] {
		prev := f.from[c]
		if prev < 0 {
			f.join(int32(i), c)
			break
		}
		f.remove(f.via[c], prev)
		f.join(f.via[c], c)
	}
	f.fill(end)
}

// findChain returns the place with room at the end of the cheapest chain of moves
// for the job. Where rounding makes moves in a circle look like a gain, as among
// times that differ by many orders of magnitude, it is the cheapest place itself.
func (f *flow) findChain(i int) int {
	f.startChains(i)
	for n := 2 * len(f.classes); n >= 0 && f.relax(); n-- {
	}
	end := f.cheapestWithRoom()
	for c, n := end, 0; c >= 0; c, n = f.from[c], n+1 {
		if n > len(f.classes) {
			f.startChains(i)
			return f.cheapestWithRoom()
		}
	}
	return end
}

// startChains makes the chains to all classes those without any move.
func (f *flow) startChains(i int) {
	for c := range f.classes {
		f.dist[c], f.from[c] = f.cost(i, c), -1
	}
}

func (f *flow) cheapestWithRoom() int {
	end := -1
	for c := range f.classes {
		if f.classes[c].room > 0 && (end < 0 || f.dist[c] < f.dist[end]) {
			end = c
		}
	}
	return end
}

// relax shortens the ways to all classes over those that are full, and reports
// whether it could. Negative changes exist, negative cycles do not.
func (f *flow) relax() bool {
	shorter := false
	for c := range f.classes {
		if f.classes[c].room > 0 {
			continue
		}
		for d, m := range f.classes[c].moves {
			if way := f.dist[c] + m.cost; way < f.dist[d]-1e-9*(1+math.Abs(way)) {
				f.dist[d], f.from[d], f.via[d] = way, c, m.job
				shorter = true
			}
		}
	}
	return shorter
}
