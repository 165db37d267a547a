package estimate

import (
	"slices"
)

// smallerJob stands for the job that is wanted, with less asked for. It takes no room, so that one layout of the
// time to come serves all of them: it is looked for room in its turn, the place kept for the wanted job
// counts as its own, and it starts no later than that.
type smallerJob struct {
	modelJob
	place int // of the line: the job that it goes before
}

// addSmaller adds a job that stands for the wanted one, at the place in line that has been reached.
func (m *model) addSmaller(w modelJob, rooms map[roomKey]int) {
	w.room = numberOf(rooms, roomKey{standIn: w.ID})
	m.smaller = append(m.smaller, smallerJob{w, len(m.jobs) - m.runCount})
}

// trySmaller looks for room for those that go before a place in line and have not started in this draw.
func (f *future) trySmaller(place int) {
	for ; f.triedSmaller < len(f.smaller) && f.smaller[f.triedSmaller].place <= place; f.triedSmaller++ {
		j := &f.smaller[f.triedSmaller]
		if len(j.starts) > f.draw || j.eligible > f.at {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(f.reservations), func(r reservation) bool { return r.of == f.only })
		if f.findRoom(&j.modelJob, others) != nil {
			j.addStart(f.at, f.lengthOf(&j.modelJob))
		}
	}
}

// endSmaller lets those that did not start in this draw start with the wanted job.
func (f *future) endSmaller() {
	for i := range f.smaller {
		j := &f.smaller[i]
		if len(j.starts) > f.draw {
			continue
		}
		at := Horizon
		if f.only != nil && len(f.only.starts) > f.draw {
			at = f.only.starts[f.draw]
		}
		j.addStart(at, f.lengthOf(&j.modelJob))
	}
}
