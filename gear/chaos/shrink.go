package chaos

import (
	"fairbridge/gear/chaos/event"
	"fairbridge/gear/chaos/site"
)

// ShrinkEvents returns a shorter list of events that breaks the same rule, by leaving out
// ever smaller parts. It runs the seed at most tries times.
func ShrinkEvents(s site.Site, events []event.Event, parts Overrides, rule string, tries int) []event.Event {
	fails := func(list []event.Event) bool {
		if tries--; tries < 0 {
			return false
		}
		o, err := RunTrial(s, list, parts)
		return err == nil && len(o.Breaches) > 0 && o.Breaches[0].Rule == rule
	}
	for size := (len(events) + 1) / 2; size > 0 && tries > 0; {
		shorter := false
		for at := 0; at < len(events) && tries > 0; {
			rest := append(append([]event.Event{}, events[:at]...), events[min(at+size, len(events)):]...)
			if fails(rest) {
				events, shorter = rest, true
			} else {
				at += size
			}
		}
		if !shorter || size > len(events) {
			size /= 2
		}
	}
	return events
}

// RunSeed plays a seed as it is drawn.
func RunSeed(seed uint64, cycles int, parts Overrides) (*Outcome, error) {
	s, events := site.DrawSite(seed, cycles), event.DrawEvents(seed, cycles)
	if s.TellsJobs {
		events = event.WithAdminComments(events, seed, cycles)
	}
	return RunTrial(s, events, parts)
}
