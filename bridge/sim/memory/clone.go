package memory

import (
	"maps"
	"slices"
)

// Clone returns a copy that shares nothing that changes: a backup.
func (s *Store) Clone() *Store {
	c := *s
	c.intents = slices.Clone(s.intents)
	c.last = maps.Clone(s.last)
	c.requeues = map[int64][]requeue{}
	for job, list := range s.requeues {
		c.requeues[job] = slices.Clone(list)
	}
	c.jobs, c.gone = copied(s.jobs), copied(s.gone)
	c.samples, c.spans, c.old = slices.Clone(s.samples), slices.Clone(s.spans), slices.Clone(s.old)
	c.place = maps.Clone(s.place)
	c.history.stops = c.journal.stops
	return &c
}

func copied(lives map[int64]*life) map[int64]*life {
	out := make(map[int64]*life, len(lives))
	for id, l := range lives {
		kept := *l
		out[id] = &kept
	}
	return out
}
