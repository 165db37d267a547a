package chaos

import (
	"time"

	"fairbridge/bridge/chaos/event"
)

// faults are what goes wrong at the moment.
type faults struct {
	until    map[event.Kind]int           // the cycle at which a fault is over
	size     map[event.Kind]time.Duration // of clocks
	roll     map[event.Kind]uint64        // which job, which user, how many nodes
	next     []event.Kind                 // faults that strike the next writes, one each
	once     []event.Kind                 // faults that strike the next call of their kind
	lateness time.Duration                // how late writes come
	boot     time.Time                    // when slurmctld started; zero: with the world
}

func noFaults() faults {
	return faults{until: map[event.Kind]int{}, size: map[event.Kind]time.Duration{}, roll: map[event.Kind]uint64{}}
}

// isActive reports whether a fault lasts.
func (f *faults) isActive(k event.Kind, cycle int) bool { return f.until[k] > cycle }

// skew is how far the clock is off.
func (f *faults) skew(k event.Kind) time.Duration { return f.size[k] }

// takeOnce reports whether the fault strikes this call, which it then has.
func (f *faults) takeOnce(k event.Kind) bool {
	for i, x := range f.once {
		if x == k {
			f.once = append(f.once[:i:i], f.once[i+1:]...)
			return true
		}
	}
	return false
}

// nextForWrite is what happens to the next write; "" is nothing.
func (f *faults) nextForWrite() event.Kind {
	if len(f.next) == 0 {
		return ""
	}
	k := f.next[0]
	f.next = f.next[1:]
	return k
}

// failsPolicy reports whether the policy is made to fail.
func (f *faults) failsPolicy(cycle int) bool {
	return f.isActive(event.PolicyPanics, cycle) || f.isActive(event.PolicyFails, cycle) || f.isActive(event.PolicyFlaps, cycle) || f.isActive(event.PolicyStopsAll, cycle) || f.isActive(event.PolicyWrong, cycle)
}
