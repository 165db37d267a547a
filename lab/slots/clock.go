// Package slots is the clock of ElasticFlow's published simulator (Gu et al., ASPLOS 2023):
// what happens within a slot of 240 s is acted upon at its end, every event costs each running
// job an overhead that grows with its GPUs, and a job's end is recorded as it was reckoned at
// the last event, which may lie in the slot before.
//
// Run carries out the plans of any policy by that clock.
package slots

import (
	"math"
	"time"

	"fairbridge/lab/exact"
)

// The artifact's clock: the length of its slots, and what an event costs.
const (
	slotLength       = 240 * time.Second
	eventCost        = 2 * time.Second // of each running job, before what its GPUs add
	largeClusterGPUs = 256             // from so many GPUs on, events cost more
)

// Clock returns the settings of the artifact's clock. MinInterval is the length of a slot; RestartCost
// is what every event costs a running job, to which comes what its GPUs add; 0: events are free,
// as the artifact has it for its baseline EDF.
func Clock() exact.Clock { return exact.Clock{MinInterval: slotLength, RestartCost: eventCost} }

// overheads counts events and says what they cost.
type overheads struct {
	base       float64 // seconds; 0: events are free
	isLarge    bool
	slot       int // seconds; also after how many events processes are restarted
	eventCount int
}

func newOverheads(c exact.Clock, gpus int) overheads {
	return overheads{base: c.RestartCost.Seconds(), isLarge: gpus >= largeClusterGPUs, slot: int(c.MinInterval.Seconds())}
}

// nextEvent counts an event and reports whether processes are restarted at it.
func (o *overheads) nextEvent() (restarts bool) {
	restarts = o.eventCount > 0 && o.slot > 0 && o.eventCount%o.slot == 0
	o.eventCount++
	return restarts
}

// seconds is what an event costs a job on so many GPUs.
func (o *overheads) seconds(gpus int, restarts bool) float64 {
	if o.base == 0 || gpus == 0 {
		return 0
	}
	s := o.base + 2*(math.Log2(float64(gpus))+1)
	if o.isLarge {
		s += 5
	}
	if restarts {
		s += 27
	}
	if restarts && o.isLarge {
		s += 20
	}
	return s
}

// nextEventTime returns when the next event is handled: the first of several that lie within
// a slot of now waits for its end, a single one does not. others says that there will be more
// events after those listed.
func nextEventTime(now, slot float64, times []float64, others bool) float64 {
	first, several := math.Inf(1), others
	for _, t := range times {
		several = several || !math.IsInf(first, 1) && t != first
		first = min(first, t)
	}
	if several && first <= now+slot {
		return now + slot
	}
	return first
}
