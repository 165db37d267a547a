package workload

import "time"

// Start is when workloads start, for policies, which know calendar time.
var Start = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// CalendarTimeAt returns the calendar time of a moment of a workload, in seconds since its start.
func CalendarTimeAt(seconds float64) time.Time {
	return Start.Add(time.Duration(seconds * float64(time.Second)))
}
