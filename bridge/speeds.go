package bridge

import (
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/recurrence"
)

// SeenSpeed is a speed that jobs reported on one size.
type SeenSpeed struct {
	policy.SpeedPoint         // Nodes is 0 where they were as few as can be
	Count             int     // how often it was reported; 0 and 1: once
	RelativeSpread    float64 // standard deviation of the reports, relative to their mean; 0: not known
}

// SpeedHistory is what was reported before of how fast a job goes.
type SpeedHistory struct {
	Own   []SeenSpeed // by the job itself, in all its runs
	Class []SeenSpeed // by other jobs of its user and class
	// IsRecurring: Class is of jobs whose names differ in counters, as none of its own name is known.
	IsRecurring bool
	Batch       *policy.BatchRange // its own word on its batch sizes, the newest; nil: it said nothing
}

// SpeedReport is one report of a job of its speed, on the size it ran on.
type SpeedReport struct {
	Job   policy.JobID
	User  string
	Class string    // SpeedClass of the job
	At    time.Time // when the probe received it
	Point policy.SpeedPoint
	Batch *policy.BatchRange // nil: it says nothing of its batch sizes
	Begin *RunBegin          // of the run that reports, where it tells what the restart before it cost; else nil
}

// SpeedClass is the group of a user's jobs whose speeds are taken for alike: the class they
// declare, else their name.
func SpeedClass(declared, name string) string {
	if declared != "" {
		return "class " + declared
	}
	return namedClass + name
}

// FindClass fills in what was reported by a user's jobs of a SpeedClass, else of its RecurringClass, as speedsOf has it of each.
func (h *SpeedHistory) FindClass(class string, speedsOf func(class string) []SeenSpeed) {
	if h.Class = speedsOf(class); len(h.Class) == 0 {
		h.Class = speedsOf(RecurringClass(class))
		h.IsRecurring = len(h.Class) > 0
	}
}

// namedClass begins the SpeedClass of a name, countedClass the RecurringClass of several.
const namedClass, countedClass = "name ", "counted "

// RecurringClass is the group of a user's jobs that goes for a SpeedClass of which nothing is known: jobs whose names differ
// in counters; "": there is none, since a class was declared or the name has no counters (recurrence.Keys).
func RecurringClass(speedClass string) string {
	name, isNamed := strings.CutPrefix(speedClass, namedClass)
	if keys := recurrence.Keys("", name); isNamed && len(keys) > 1 {
		return countedClass + keys[1].Name
	}
	return ""
}
