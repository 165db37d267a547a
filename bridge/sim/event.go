package sim

import (
	"fmt"
	"time"
)

// Run advances until no job is pending or running, or until limit. It reports
// whether all jobs ended.
func (w *World) Run(limit time.Time) bool {
	for w.open > 0 || w.coming > 0 {
		if !w.Step(limit) {
			return false
		}
	}
	return true
}

// logf writes one line to the event log.
func (w *World) logf(format string, args ...any) {
	if w.cfg.Log != nil {
		fmt.Fprintf(w.cfg.Log, "%s %s\n", w.Now().Format("2006-01-02T15:04:05.000Z"), fmt.Sprintf(format, args...))
	}
}
