package chaos

import (
	"time"

	"fairbridge/gear/chaos/event"
)

// faults are what goes wrong at the moment.
type faults struct {
	endCycleByKind   map[event.Kind]int           // the cycle at which a fault is over
	clockShiftByKind map[event.Kind]time.Duration // of clocks
	randomByKind     map[event.Kind]uint64        // which job, which user, how many nodes
	nextWriteFaults  []event.Kind                 // faults that strike the next writes, one each
	lostCommitCount  int                          // how many of the next commits are done, and say they are not
	writeDelay       time.Duration                // how late writes come
	slurmctldStart   time.Time                    // when slurmctld started; zero: with the world
}

func newFaults() faults {
	return faults{endCycleByKind: map[event.Kind]int{}, clockShiftByKind: map[event.Kind]time.Duration{}, randomByKind: map[event.Kind]uint64{}}
}

// isActive reports whether a fault lasts.
func (f *faults) isActive(k event.Kind, cycle int) bool { return f.endCycleByKind[k] > cycle }

// takeWriteFault is what happens to the next write; "" is nothing.
func (f *faults) takeWriteFault() event.Kind {
	if len(f.nextWriteFaults) == 0 {
		return ""
	}
	k := f.nextWriteFaults[0]
	f.nextWriteFaults = f.nextWriteFaults[1:]
	return k
}

// isPolicyFailing reports whether the policy is made to fail.
func (f *faults) isPolicyFailing(cycle int) bool {
	return f.isActive(event.PolicyPanics, cycle) || f.isActive(event.PolicyFails, cycle) || f.isActive(event.PolicyReversesOrder, cycle) || f.isActive(event.PolicyStopsEverything, cycle) || f.isActive(event.PolicyDropsDecision, cycle)
}
