package elasticflow

import (
	"math"

	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
)

// demand is a job as the planner sees it.
type demand struct {
	entry    *engine.Entry
	kind     int       // its place in planner.kinds
	levels   []int     // sizes it may have, ascending
	speeds   []float64 // on each, relative to what it asks; ascending
	need     float64   // seconds of work left, at the speed on what it asks
	deadline float64   // seconds from now; 0: it has none, or nothing is known of its length
	minRun   float64   // seconds it runs at the least once it starts or changes its size
	isFixed  bool      // it runs, and keeps its size for now
}

// newDemand returns what the planner needs to know of a job. margin is the part by which its
// time left is stretched.
func newDemand(r *engine.Round, e *engine.Entry, kind int, margin float64) demand {
	d := demand{entry: e, kind: kind, levels: sizing.CutAtFastest(e, sizing.Levels(e))}
	for _, n := range d.levels {
		d.speeds = append(d.speeds, sizing.Speed(e, n))
	}
	if e.Deadline.IsZero() || e.Estimate().TimeLeft <= 0 || len(d.levels) == 0 {
		return d
	}
	d.need = e.Estimate().TimeLeft.Seconds() * (1 + margin)
	d.deadline = max((e.Deadline.Sub(r.Now) - e.CheckpointCost).Seconds(), 0)
	return d
}

// levelWithin is the largest level of at most so many devices, and none above most; -1: none.
func (d *demand) levelWithin(free, most int) int {
	for ; most >= 0; most-- {
		if d.levels[most] <= free {
			return most
		}
	}
	return -1
}

// minimumShare returns the least that brings the job to its end by its deadline on what is
// free: the smallest level for which it has time enough, and that only from the latest slot on
// from which it is needed, the level below it before. ok is false where no level is enough.
func (d *demand) minimumShare(p profile, slot float64) (steps []step, ok bool) {
	for level := range d.levels {
		if d.speeds[level]*d.deadline < d.need*(1-tolerance) {
			continue // too slow even if all were free
		}
		steps, ok = d.runOn(p, level, level, 0, slot)
		if !ok {
			continue
		}
		if level == 0 {
			return steps, true
		}
		enough, late := 0., math.Ceil(d.deadline/slot)+1 // slots before the larger level
		for late-enough > 1 {
			mid := math.Floor((enough + late) / 2)
			if later, can := d.runOn(p, level-1, level, mid*slot, slot); can {
				steps, enough = later, mid
			} else {
				late = mid
			}
		}
		return steps, true
	}
	return nil, false
}

// runOn plans the job on what is free, at most on one level before a time and on another after it. ok
// is false where it does not end by its deadline. Its devices are given back with the end of a slot.
func (d *demand) runOn(p profile, before, after int, at, slot float64) (steps []step, ok bool) {
	done, end := 0., 0.
	for i := 0; i < len(p) && p[i].from < d.deadline; i++ {
		for _, part := range [2]struct {
			level    int
			from, to float64
		}{{before, p[i].from, min(p.endOf(i), at)}, {after, max(p[i].from, at), p.endOf(i)}} {
			from, to := part.from, min(part.to, d.deadline)
			if to <= from {
				continue
			}
			k := d.levelWithin(p[i].free, part.level)
			gpus, speed := 0, 0.
			if k >= 0 {
				gpus, speed = d.levels[k], d.speeds[k]
			}
			if left := d.need - done; speed > 0 && left <= speed*(to-from)*(1+tolerance) {
				end = math.Ceil((from+left/speed)/slot*(1-tolerance)) * slot
				return appendStep(steps, step{max(end, from), gpus}), true
			}
			done += speed * (to - from)
			steps = appendStep(steps, step{to, gpus})
		}
	}
	return nil, d.need <= 0
}

// tolerance is the relative error that sums of floating point numbers are forgiven.
const tolerance = 1e-9

// appendStep adds a stretch to a plan, in one with the last where it is the same.
func appendStep(steps []step, s step) []step {
	if n := len(steps); n > 0 && steps[n-1].gpus == s.gpus {
		steps[n-1].until = s.until
		return steps
	}
	return append(steps, s)
}

// gpuTime is the GPU time that the rest of the job takes on a level, in seconds.
func (d *demand) gpuTime(level int) float64 {
	need := d.need
	if need <= 0 {
		need = max(d.entry.Estimate().TimeLeft.Seconds(), 1)
	}
	return float64(d.levels[level]) * need / d.speeds[level]
}
