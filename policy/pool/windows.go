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
// are to blame; nil: they are not. Where a shorter limit would do, the window named is the one
// that such a run ends before, else the first.
func (p *Pool) ExplainWindows(partition string, a policy.Ask) *WindowError {
	s := &WindowError{Limit: a.Limit}
	var reached []windowOfNode
	for i := range p.nodes {
		h := &p.nodes[i]
		if h.freeDevices(a.GPUs.Type) == 0 || h.IsDownAt(time.Time{}) || !h.allowsAsk(partition, &a) {
			continue
		}
		if w := h.NextWindow(p.startTime, a.Limit); w != nil {
			reached = append(reached, windowOfNode{h.Name, w})
		}
	}
	if reached == nil {
		return nil
	}
	for _, a.Limit = range slices.Backward(p.windowStarts) {
		if a.Limit > 0 && (s.Limit <= 0 || a.Limit < s.Limit) && p.Fits(partition, a) {
			s.longestFittingLimit = a.Limit
			break
		}
	}
	s.nameWindow(reached, p.startTime)
	return s
}

// windowOfNode is a window that a run on the node would reach into.
type windowOfNode struct {
	node   string
	window *policy.Window
}

// nameWindow chooses the window that is named of those that are reached.
func (s *WindowError) nameWindow(reached []windowOfNode, start time.Time) {
	slices.SortStableFunc(reached, func(a, b windowOfNode) int { return a.window.From.Compare(b.window.From) })
	end := start.Add(s.longestFittingLimit)
	i := 0
	if s.longestFittingLimit > 0 {
		i = slices.IndexFunc(reached, func(w windowOfNode) bool { return !w.window.From.Before(end) })
	}
	named := reached[max(i, 0)]
	s.nodeName, s.window, s.hasBegun = named.node, *named.window, !named.window.From.After(start)
	for _, w := range reached {
		if w.node != named.node && w.window.Name == s.window.Name && w.window.From.Equal(s.window.From) {
			s.otherNodeCount++
		}
	}
}

// WindowError says that a gang's time limit reaches into times in which nodes are
// set aside, so that it has no room now.
type WindowError struct {
	Limit               time.Duration // of the job
	nodeName            string
	otherNodeCount      int // nodes with this window, besides
	window              policy.Window
	hasBegun            bool          // the window
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
	at := "at"
	if s.hasBegun {
		at = "since"
	}
	why := fmt.Sprintf("%s reaches into %v of %s %s %s", limit, &s.window, where, at,
		s.window.From.UTC().Format("2006-01-02 15:04 MST"))
	if s.longestFittingLimit > 0 {
		why += fmt.Sprintf("; with a limit under %s it could run before that", policy.FormatDuration(s.longestFittingLimit.Truncate(time.Second)))
	}
	return why
}
