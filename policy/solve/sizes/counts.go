package sizes

import (
	"container/heap"
	"slices"
)

// exactSteps bounds the steps of the exact method; beyond, the hull is taken.
const exactSteps = 30_000_000

// counts are sizes regardless of where they find place.
type counts struct {
	sizes []int
	cost  float64
	exact bool
}

// option is a size and the least an item can cost at it.
type option struct {
	size int
	cost float64
}

// bestCounts returns the sizes of the least cost that together do not exceed the room,
// as if each found the fewest bins it needs.
func bestCounts(p *Problem) counts {
	room, largest := 0, 1
	for _, r := range p.Room {
		room, largest = room+r, max(largest, r)
	}
	options, n := make([][]option, len(p.Items)), 0
	for i := range p.Items {
		options[i] = p.Items[i].listOptions(largest, room)
		n += len(options[i])
	}
	if n*(room+1) <= exactSteps {
		return exactCounts(options, room)
	}
	return hullCounts(options, room)
}

// listOptions returns the options with the least each can cost, 0 first.
func (it *Item) listOptions(largest, room int) []option {
	list := []option{{0, it.price(0)}}
	now := it.Now.Size()
	for _, size := range it.Options {
		if size > room {
			break
		}
		cost := it.price(it.Change * it.Worth(size, (size+largest-1)/largest))
		if size == now {
			cost = min(cost, it.cost(it.Now))
		}
		if cost < list[len(list)-1].cost { // never worth its room otherwise
			list = append(list, option{size, cost})
		}
	}
	return list
}

// exactCounts is the dynamic programme over items and room.
func exactCounts(options [][]option, room int) counts {
	least, next := make([]float64, room+1), make([]float64, room+1)
	chosen := make([]uint16, len(options)*(room+1))
	for i, list := range options {
		row := chosen[i*(room+1) : (i+1)*(room+1)]
		for r := range next {
			next[r] = least[r] + list[0].cost
			row[r] = 0
		}
		for k, o := range list[1:] {
			for r := o.size; r <= room; r++ {
				if c := least[r-o.size] + o.cost; c < next[r] {
					next[r], row[r] = c, uint16(k+1)
				}
			}
		}
		least, next = next, least
	}
	found := counts{make([]int, len(options)), least[room], true}
	for i, r := len(options)-1, room; i >= 0; i-- {
		found.sizes[i] = options[i][chosen[i*(room+1)+r]].size
		r -= found.sizes[i]
	}
	return found
}

// hullCounts goes down the lower hulls of costs, steepest first, which is exact but for the
// last step; what is left over goes to whom it helps most. Its cost is a bound: the last step
// counts in part.
func hullCounts(options [][]option, room int) counts {
	found := counts{sizes: make([]int, len(options))}
	var line steepestFirst
	for i, list := range options {
		found.cost += list[0].cost
		options[i] = lowerHull(list)
		line = line.pushNext(options, i, 0)
	}
	heap.Init(&line)
	for len(line) > 0 && room > 0 {
		s := line[0]
		to := options[s.item][s.to]
		more := to.size - found.sizes[s.item]
		found.cost -= s.slope * float64(min(more, room))
		if more > room {
			break
		}
		room -= more
		found.sizes[s.item] = to.size
		heap.Pop(&line)
		if s.to+1 < len(options[s.item]) {
			heap.Push(&line, newStepDown(options, s.item, s.to))
		}
	}
	fillRest(options, found.sizes, room)
	return found
}

// fillRest gives what is left to the next step that fits, steepest first.
func fillRest(options [][]option, sizes []int, room int) {
	for i := range sizes {
		for _, o := range options[i] {
			if more := o.size - sizes[i]; more > 0 && more <= room {
				sizes[i], room = o.size, room-more
			}
		}
	}
}

// lowerHull leaves the options that some price a unit of room makes the best.
func lowerHull(list []option) []option {
	hull := slices.Clone(list[:1])
	for _, o := range list[1:] {
		for len(hull) > 1 && slope(hull[len(hull)-2], hull[len(hull)-1]) <= slope(hull[len(hull)-1], o) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, o)
	}
	return hull
}

// slope is what a unit of room saves from one option to a larger one.
func slope(from, to option) float64 { return (from.cost - to.cost) / float64(to.size-from.size) }

// stepDown is the next step of an item down its hull.
type stepDown struct {
	item, to int
	slope    float64
}

func newStepDown(options [][]option, item, from int) stepDown {
	return stepDown{item, from + 1, slope(options[item][from], options[item][from+1])}
}

// steepestFirst is a heap of steps.
type steepestFirst []stepDown

func (s steepestFirst) pushNext(options [][]option, item, from int) steepestFirst {
	if from+1 < len(options[item]) {
		s = append(s, newStepDown(options, item, from))
	}
	return s
}

func (s steepestFirst) Len() int { return len(s) }
func (s steepestFirst) Less(i, j int) bool {
	return s[i].slope > s[j].slope || s[i].slope == s[j].slope && s[i].item < s[j].item
}
func (s steepestFirst) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *steepestFirst) Push(x any)   { *s = append(*s, x.(stepDown)) }
func (s *steepestFirst) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
