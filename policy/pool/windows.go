package pool

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
)

// listWindowStarts returns after how long from now windows begin, ascending, each once: two limits
// between the same edges reach into the same windows.
func listWindowStarts(s *policy.Snapshot) []time.Duration {
	var all []time.Duration
	for i := range s.Nodes {
		for k := range s.Nodes[i].Windows {
			if w := &s.Nodes[i].Windows[k]; w.EndsAfter(s.Now) {
				all = append(all, max(w.From.Sub(s.Now), 0))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ExplainWindows says why the ask has no room in an empty pool, as far as windows
// are to blame; nil: they are not.
func (p *Pool) ExplainWindows(partition string, a policy.Ask) *WindowError {
	s := &WindowError{Limit: a.Limit}
	for i := range p.nodes {
		h := &p.nodes[i]
		if h.freeDevices(a.GPUs.Type) == 0 || h.IsDownAt(time.Time{}) || !h.allowsAsk(partition, &a) {
			continue
		}
		w := h.NextWindow(p.startTime, a.Limit)
		switch {
		case w == nil:
		case s.nodeName == "":
			s.nodeName, s.window = h.Name, *w
		default:
			s.otherNodeCount++
			if w.From.Before(s.window.From) {
				s.nodeName, s.window = h.Name, *w
			}
		}
	}
	if s.nodeName == "" {
		return nil
	}
	for _, a.Limit = range slices.Backward(p.windowStarts) {
		if a.Limit > 0 && (s.Limit <= 0 || a.Limit < s.Limit) && p.Fits(partition, a) {
			s.longestFittingLimit = a.Limit
			break
		}
	}
	return s
}

// WindowError says that a gang's time limit reaches into times in which nodes are
// set aside, so that it has no room now.
type WindowError struct {
	Limit               time.Duration // of the job
	nodeName            string
	otherNodeCount      int // nodes, besides
	window              policy.Window
	longestFittingLimit time.Duration // the longest limit that would do, if no job ran; 0: none
}

// Error implements error.
func (s *WindowError) Error() string {
	limit := "it has no time limit, so it"
	if s.Limit > 0 {
		limit = "its limit of " + policy.FormatDuration(s.Limit)
	}
	where := s.nodeName
	if s.otherNodeCount > 0 {
		where = fmt.Sprintf("%s and %d more", s.nodeName, s.otherNodeCount)
	}
	why := fmt.Sprintf("%s reaches into %v of %s at %s", limit, &s.window, where, s.window.From.UTC().Format("2006-01-02 15:04 MST"))
	if s.longestFittingLimit > 0 {
		why += fmt.Sprintf("; with a limit under %s it could run before that", policy.FormatDuration(s.longestFittingLimit.Truncate(time.Second)))
	}
	return why
}
