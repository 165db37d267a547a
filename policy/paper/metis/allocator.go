package metis

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/recurrence"
	"fairbridge/policy/scaling"
	"fairbridge/policy/sizing"
)

// kind is what jobs that come again are alike by: the user, and the class, or else a key of package recurrence; and the type
// of GPU they go on.
type kind struct {
	recurrence.Key
	gpuType string
}

// kindsOf returns the kinds that a job counts for, the closest first. Classes are names of models, in which numbers are no counters.
func kindsOf(e *engine.Entry) []kind {
	keys := []recurrence.Key{{User: e.User, Name: e.Class}}
	if e.Class == "" {
		keys = recurrence.Keys(e.User, e.Name)
	}
	kinds := make([]kind, len(keys))
	for i, k := range keys {
		kinds[i] = kind{k, sizing.TypeOf(e)}
	}
	return kinds
}

// kindOf returns the kind that a job is searched a size with: that by which speeds are known of it. Jobs whose names differ in
// counters are of one where none of its own name reported; else the number may be part of what it is. A job without a name is of its user's.
func kindOf(e *engine.Entry) kind {
	kinds := append(kindsOf(e), kind{recurrence.Key{User: e.User}, sizing.TypeOf(e)})
	if e.Scaling != nil && e.Scaling.Source == policy.ScalingFromRecurring && len(kinds) > 2 {
		return kinds[1]
	}
	return kinds[0]
}

// addRunning notes on which size a job runs, or is to run now.
func (a *allocator) addRunning(e *engine.Entry, devices int) {
	for _, k := range kindsOf(e) {
		a.running[k] = append(a.running[k], devices)
	}
}

// advice is on which sizes a waiting job is to start.
type advice struct {
	levels []int     // that it may have, ascending; the last is the one it should have
	speeds []float64 // expected on them, relative to what it asks
	isTry  bool
	tried  int // sizes of its kind that were measured
}

// allocator is an engine.Allocator of one round: jobs that run keep their sizes, those that wait start on theirs.
type allocator struct {
	*Policy
	demand   demand
	waste    float64 // how much more GPU time than on what it asks a job may need
	searches map[kind]*search
	points   map[kind][]policy.SpeedPoint // that a search rests on
	running  map[kind][]int
	advised  []*advice // by Entry.Index; nil: it has no choice
}

// Allocate implements engine.Allocator.
func (a *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line, err := order.ByArrival{}.Order(r)
	if err != nil {
		return nil, err
	}
	a.searches, a.points, a.running = map[kind]*search{}, map[kind][]policy.SpeedPoint{}, map[kind][]int{}
	a.demand = a.demand.next(r)
	a.waste = max(a.Spare/max(a.demand.level(), 1e-9), 1)
	a.advised = make([]*advice, len(r.Entries))
	for _, e := range line {
		if e.HoldsGPUs() && e.IsElastic() {
			a.addRunning(e, e.On.Count())
		}
	}
	d := sizing.NewDraft(r)
	d.StartWaiting(line, a.least)
	a.grow(d, line)
	if !d.Holds(line) { // the engine would find other places: no job grows
		d.Close()
		d.StartWaiting(line, a.least)
	}
	all := d.Assignments(line)
	for i, e := range line {
		if d.Size(e) == 0 {
			all[i].DeviceCount = a.least(e)
		}
		all[i].Note = a.note(r, e, all[i].DeviceCount)
	}
	d.Close()
	return all, nil
}

// least is the smallest size that a job may start on: on which it is expected to be about as fast as on what it asks.
func (a *allocator) least(e *engine.Entry) int {
	if v := a.adviseOn(e); v != nil {
		return v.levels[0]
	}
	return e.DeviceCount()
}

// grow gives devices that are left to jobs that start, up to the sizes they should have: to those first of whose work each
// device does most.
func (a *allocator) grow(d *sizing.Draft, line []*engine.Entry) {
	var starting []*engine.Entry
	for _, e := range line {
		if !e.HoldsGPUs() && d.Size(e) > 0 && a.adviseOn(e) != nil {
			starting = append(starting, e)
		}
	}
	sizing.Growth{
		Next: func(e *engine.Entry, devices int) int {
			v := a.adviseOn(e)
			i, found := slices.BinarySearch(v.levels, devices)
			if found {
				i++
			}
			if i >= len(v.levels) {
				return 0
			}
			return v.levels[i]
		},
		Gain: func(e *engine.Entry, devices int) float64 { return a.gain(e, d.Size(e), devices) },
	}.Run(d, starting)
}

// unknownLeft stands for the time left of a job of which nothing is known, in seconds.
const unknownLeft = 3600

// leastGain is that of a step that brings nothing by itself and is on the way to the size that a job should have.
const leastGain = 1e-12

// gain is the part of a job's work that each device more does in a second.
func (a *allocator) gain(e *engine.Entry, from, to int) float64 {
	left := e.Estimate().TimeLeft.Seconds()
	if left <= 0 {
		left = unknownLeft
	}
	v := a.adviseOn(e)
	return max((v.speedOn(to)-v.speedOn(from))/left/float64(to-from), leastGain)
}

func (v *advice) speedOn(devices int) float64 {
	if i, found := slices.BinarySearch(v.levels, devices); found {
		return v.speeds[i]
	}
	return 0
}

// adviseOn returns the sizes for a job that waits; nil: it has no choice.
func (a *allocator) adviseOn(e *engine.Entry) *advice {
	if a.advised[e.Index] == nil && !e.HoldsGPUs() && sizing.HasRange(e) && e.KnowsScaling() {
		a.advised[e.Index] = a.newAdvice(e)
	}
	return a.advised[e.Index]
}

// newAdvice chooses the size a job should have, and lists those below on which it is fast enough; nil: nothing is known of its speed.
func (a *allocator) newAdvice(e *engine.Entry) *advice {
	speed, choose := a.speedsOf(e)
	asked := speed(e.Ask.GPUs.Count)
	if asked <= 0 {
		return nil
	}
	var levels []int
	for _, n := range sizing.Levels(e) {
		isFast := speed(n) >= a.Safe*asked
		isCheap := float64(n)*asked <= a.waste*float64(e.Ask.GPUs.Count)*speed(n)
		if n == e.Ask.GPUs.Count || isFast && isCheap {
			levels = append(levels, n)
		}
	}
	v := &advice{}
	wanted, isTry, tried := choose(levels)
	v.isTry, v.tried = isTry, tried
	for _, n := range levels {
		if n <= wanted {
			v.levels, v.speeds = append(v.levels, n), append(v.speeds, speed(n)/asked)
		}
	}
	if v.isTry { // a smaller one teaches nothing
		v.levels, v.speeds = v.levels[len(v.levels)-1:], v.speeds[len(v.speeds)-1:]
	}
	return v
}

// speedsOf returns how fast a job is expected to go, and who chooses among sizes: the search of its kind where
// speeds were reported by size, else its curve alone.
func (a *allocator) speedsOf(e *engine.Entry) (speed func(int) float64, choose func([]int) (devices int, isTry bool, tried int)) {
	if s := a.searchOf(e); s != nil {
		return s.speed, func(sizes []int) (int, bool, int) {
			n, isTry := a.choose(s, sizes)
			if isTry {
				a.addRunning(e, n)
				delete(a.searches, kindOf(e)) // the next of its kind tries another
			}
			return n, isTry, len(s.measured)
		}
	}
	speed = func(n int) float64 { return sizing.Speed(e, n) }
	return speed, func(sizes []int) (int, bool, int) {
		best := sizes[0]
		for _, n := range sizes {
			if speed(n) > speed(best) {
				best = n
			}
		}
		return best, false, 0
	}
}

// searchOf returns what is known of the kind of a job; nil: no speeds by size were reported.
func (a *allocator) searchOf(e *engine.Entry) *search {
	points := pointsOf(e)
	k := kindOf(e)
	s, known := a.searches[k]
	if !known || !slices.Equal(a.points[k], points) {
		s = newSearch(points, a.running[k])
		a.searches[k], a.points[k] = s, points
	}
	return s
}

// pointsOf are the speeds that were reported on the type the job would go on.
func pointsOf(e *engine.Entry) []policy.SpeedPoint {
	if len(e.Scaling.StepTimes) > 0 {
		return nil // a curve that is known is not searched
	}
	typ := sizing.TypeOf(e)
	return slices.DeleteFunc(slices.Clone(e.Scaling.Points), func(p policy.SpeedPoint) bool {
		return p.Type != "" && typ != "" && p.Type != typ || p.Nodes > 1 && scaling.New(e.Job).TellsType(p.Type) && hasCompact(e.Scaling.Points, p)
	})
}

// hasCompact reports whether a size was measured on fewer nodes, too.
func hasCompact(points []policy.SpeedPoint, p policy.SpeedPoint) bool {
	return slices.ContainsFunc(points, func(q policy.SpeedPoint) bool {
		return q.Type == p.Type && q.Devices == p.Devices && q.Nodes < p.Nodes
	})
}

// note says to its owner why a job starts on its size.
func (a *allocator) note(r *engine.Round, e *engine.Entry, devices int) string {
	v := a.advised[e.Index]
	switch {
	case r.OmitReasons || v == nil:
		return e.Note
	case v.isTry:
		return fmt.Sprintf("%s to try: jobs of its kind were measured on %s, and this may be faster", policy.FormatCount(devices, "GPU"), policy.FormatCount(v.tried, "size"))
	}
	return fmt.Sprintf("%s, %.2f times as fast as on what it asks", policy.FormatCount(devices, "GPU"), v.speedOn(devices))
}
