package policytest

import (
	"syscall"
	"testing"
	"time"
)

// ProcessorTime is what this process has used so far, by user and system, which other programs on the machine hardly lengthen; it includes
// that of the garbage collector.
func ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// LeastProcessorTime returns what some work used at least, of so many times: a busy machine's caches are others', too.
func LeastProcessorTime(t testing.TB, times int, work func()) time.Duration {
	t.Helper()
	least := time.Duration(1<<63 - 1)
	for range times {
		before := ProcessorTime(t)
		work()
		least = min(least, ProcessorTime(t)-before)
	}
	return least
}
