package gandiva

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/assign"
)

// mostPartners bounds how many jobs are considered for pairs at once.
const mostPartners = 256

// judge looks at the pairs of the last round. One that was measured long
// enough and does not pay is undone; one whose jobs found GPUs of their own, or
// are gone, is forgotten.
func (s *slicer) judge(r *engine.Round) {
	s.leave = map[policy.JobID]string{}
	for _, p := range s.past.Pairs {
		host, guest := r.Job(p.Host), r.Job(p.Guest)
		if host == nil || guest == nil || guest.Active() && !guest.On.Equal(host.On) {
			continue
		}
		if guest.Active() {
			ran, done := [2]float64{s.ran(host.ID), s.ran(guest.ID)}, [2]float64{stepsDone(host), stepsDone(guest)}
			if !p.Seen {
				p.Seen, p.Ran, p.Done = true, ran, done
			} else if sum, known := together(host, guest, p, ran, done); known && sum <= s.Keep && ran[1]-p.Ran[1] >= s.Window.Seconds() {
				s.leave[guest.ID] = fmt.Sprintf("beside job %d both were slower than in turns, %.2f of one alone", host.ID, sum)
				s.now.Bad = append(s.now.Bad, duoOf(host.ID, guest.ID))
				continue
			}
		}
		s.now.Pairs = append(s.now.Pairs, p)
		s.guests[guest.ID] = host.ID
	}
	slices.SortFunc(s.now.Bad, duo.compare)
}

// ran returns the turns of a job of this round.
func (s *slicer) ran(id policy.JobID) float64 {
	i, _ := slices.BinarySearch(s.now.Jobs, id)
	return s.now.Ran[i]
}

func stepsDone(j *policy.Job) float64 {
	if j.Training == nil {
		return 0
	}
	return j.Training.Done
}

// together returns the sum of the measured speeds of a pair, each relative to
// being alone.
func together(host, guest *policy.Job, p pairing, ran, done [2]float64) (sum float64, known bool) {
	for i, j := range []*policy.Job{host, guest} {
		if j.Training == nil || ran[i] <= p.Ran[i] {
			return 0, false
		}
		alone, ok := j.Training.Rate(j.On.Type())
		if !ok || alone <= 0 {
			return 0, false
		}
		sum += (done[i] - p.Done[i]) / (ran[i] - p.Ran[i]) / alone
	}
	return sum, true
}

// pair makes pairs, if more is asked than there is.
func (s *slicer) pair(r *engine.Round) {
	if !s.Pack || !crowded(r) {
		return
	}
	single := s.singles(r)
	var edges []assign.Edge
	for a, x := range single {
		for b, y := range single[:a] {
			if _, bad := slices.BinarySearchFunc(s.now.Bad, duoOf(x.ID, y.ID), duo.compare); !bad && !(x.Active() && y.Active()) {
				edges = append(edges, assign.Edge{A: a, B: b, Weight: s.worth(x, y)})
			}
		}
	}
	for _, e := range assign.MaxWeightMatching(len(single), edges) {
		host, guest := single[e.A], single[e.B]
		if guest.Active() || !host.Active() && guest.ID < host.ID {
			host, guest = guest, host
		}
		s.guests[guest.ID] = host.ID
		s.now.Pairs = append(s.now.Pairs, pairing{Host: host.ID, Guest: guest.ID})
	}
	slices.SortFunc(s.now.Pairs, func(a, b pairing) int { return cmp.Compare(a.Guest, b.Guest) })
}

// crowded reports whether the jobs that could run ask for more than there is.
func crowded(r *engine.Round) bool {
	want := 0.0
	for _, e := range r.Entries {
		if r.Startable(e) {
			want += e.Ask.GPUs.Whole()
		}
	}
	return want > r.Whole()
}

// singles returns the jobs that accept a neighbour and have none, by fewest
// turns.
func (s *slicer) singles(r *engine.Round) []*engine.Entry {
	paired := map[policy.JobID]bool{}
	for _, p := range s.now.Pairs {
		paired[p.Host], paired[p.Guest] = true, true
	}
	var single []*engine.Entry
	for _, e := range r.Entries {
		if e.Shareable && !paired[e.ID] && s.leave[e.ID] == "" && r.Startable(e) && (e.Active() || r.Possible(e) == nil) {
			single = append(single, e)
		}
	}
	slices.SortFunc(single, func(a, b *engine.Entry) int {
		return cmp.Or(cmp.Compare(s.ran(a.ID), s.ran(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return single[:min(len(single), mostPartners)]
}

// worth is by how much the speeds of two jobs on the same GPUs exceed one job
// alone: from their profiles, else from how busy they keep their GPUs. Nothing
// known is worth nothing.
func (s *slicer) worth(x, y *engine.Entry) float64 {
	typ, ok := sameGPUs(x, y)
	if !ok || x.Size() != y.Size() {
		return 0
	}
	a, known := beside(x.Job, y.Class, typ)
	b, knownToo := beside(y.Job, x.Class, typ)
	switch {
	case known && a <= 0 || knownToo && b <= 0:
		return 0 // they do not fit into the GPU's memory together
	case known && knownToo:
		return a + b - s.Keep
	case x.Busy.Known && y.Busy.Known:
		return 1 - x.Busy.Value - y.Busy.Value
	}
	return 0
}

// sameGPUs returns the type both could run on: where one runs or what one asks;
// "" when neither says.
func sameGPUs(x, y *engine.Entry) (typ string, ok bool) {
	for _, e := range []*engine.Entry{x, y} {
		is := e.Ask.GPUs.Type
		if e.Active() {
			is = e.On.Type()
		}
		if is != "" && typ != "" && is != typ {
			return "", false
		}
		typ = cmp.Or(typ, is)
	}
	return typ, true
}

// beside is the job's profiled speed beside a neighbour of the class, relative
// to being alone.
func beside(j *policy.Job, class, typ string) (float64, bool) {
	if j.Training == nil || class == "" {
		return 0, false
	}
	for _, b := range j.Training.Beside {
		if (typ == "" || b.Type == typ) && b.Class == class {
			alone, ok := j.Training.Rate(b.Type)
			return b.Steps / alone, ok && alone > 0
		}
	}
	return 0, false
}
