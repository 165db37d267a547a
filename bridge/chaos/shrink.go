package chaos

import (
	"fairbridge/bridge/chaos/event"
	"fairbridge/bridge/chaos/site"
)

// Shrink returns a shorter list of events that breaks the same rule, by leaving out
// ever smaller parts. It runs the seed at most tries times.
func Shrink(s site.Site, events []event.Event, parts Parts, rule string, tries int) []event.Event {
	fails := func(list []event.Event) bool {
		if tries--; tries < 0 {
			return false
		}
		o, err := Run(s, list, parts)
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

// Seed plays a seed as it is drawn, without the kinds of events that are known to
// be too much, unless parts.All is set.
func Seed(seed uint64, cycles int, parts Parts) (*Outcome, error) {
	without := KnownKinds
	if parts.All {
		without = nil
	}
	return Run(site.Draw(seed, cycles), event.Draw(seed, cycles, without), parts)
}
