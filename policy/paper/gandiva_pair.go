package paper

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/solve"
)

// mostPartners bounds how many waiting jobs are considered as guests at once.
const mostPartners = 256

// judge looks at the pairs of the last round. Those that run together are
// measured; one that does not pay is undone. The others are forgotten.
func (s *slicer) judge(r *policy.Round) {
	s.leave = map[policy.JobID]string{}
	for _, p := range s.past.Pairs {
		host, guest := r.Job(p.Host), r.Job(p.Guest)
		if host == nil || guest == nil || !host.Active() || !guest.Active() || !host.On.Equal(guest.On) {
			continue
		}
		done := [2]float64{stepsDone(host), stepsDone(guest)}
		if p.Since.IsZero() {
			p.Since, p.Done = r.Now, done
		} else if sum, known := together(r, host, guest, p, done); known && sum <= s.Keep && r.Now.Sub(p.Since) >= s.Window {
			s.leave[guest.ID] = fmt.Sprintf("beside job %d both were slower than in turns, %.2f of one alone", host.ID, sum)
			s.now.Bad = append(s.now.Bad, duoOf(host.ID, guest.ID))
			continue
		}
		s.now.Pairs = append(s.now.Pairs, p)
		s.guests[guest.ID] = host.ID
	}
	slices.SortFunc(s.now.Bad, duo.compare)
}

func stepsDone(j *policy.Job) float64 {
	if j.Training == nil {
		return 0
	}
	return j.Training.Done
}

// together returns the sum of the measured speeds of a pair since it was put
// together, each relative to being alone.
func together(r *policy.Round, host, guest *policy.Job, p pairing, done [2]float64) (sum float64, known bool) {
	for i, j := range []*policy.Job{host, guest} {
		if j.Training == nil {
			return 0, false
		}
		alone, ok := j.Training.Rate(j.On[0].Type)
		took := r.Now.Sub(p.Since).Seconds()
		if !ok || alone <= 0 || took <= 0 {
			return 0, false
		}
		sum += (done[i] - p.Done[i]) / took / alone
	}
	return sum, true
}

// pair finds guests for running jobs, if more is asked than there is.
func (s *slicer) pair(r *policy.Round) {
	if !s.Pack || !crowded(r) {
		return
	}
	hosts, waiting := s.singles(r)
	var edges []solve.Edge
	for a, host := range hosts {
		for b, guest := range waiting {
			if _, bad := slices.BinarySearchFunc(s.now.Bad, duoOf(host.ID, guest.ID), duo.compare); !bad {
				edges = append(edges, solve.Edge{A: a, B: len(hosts) + b, Weight: s.worth(host, guest)})
			}
		}
	}
	for _, e := range solve.Match(len(hosts)+len(waiting), edges) {
		host, guest := hosts[e.A], waiting[e.B-len(hosts)]
		s.guests[guest.ID] = host.ID
		s.now.Pairs = append(s.now.Pairs, pairing{Host: host.ID, Guest: guest.ID})
	}
	slices.SortFunc(s.now.Pairs, func(a, b pairing) int { return cmp.Compare(a.Guest, b.Guest) })
}

// crowded reports whether the jobs that could run ask for more than there is.
func crowded(r *policy.Round) bool {
	want := 0.0
	for _, e := range r.Entries {
		if r.Startable(e) {
			want += e.Ask.GPUs.Whole()
		}
	}
	return want > capacity(r)
}

// singles returns the running and the waiting jobs that accept a neighbour and
// have none, the waiting ones by fewest turns.
func (s *slicer) singles(r *policy.Round) (hosts, waiting []*policy.Entry) {
	paired := map[policy.JobID]bool{}
	for _, p := range s.now.Pairs {
		paired[p.Host], paired[p.Guest] = true, true
	}
	ran := map[policy.JobID]float64{}
	for i, e := range r.Entries {
		switch {
		case !e.Shareable || paired[e.ID] || s.leave[e.ID] != "" || !r.Startable(e):
		case e.Active():
			hosts = append(hosts, e)
		case r.Possible(e) == nil:
			ran[e.ID] = s.now.Ran[i]
			waiting = append(waiting, e)
		}
	}
	slices.SortFunc(waiting, func(a, b *policy.Entry) int {
		return cmp.Or(cmp.Compare(ran[a.ID], ran[b.ID]), cmp.Compare(a.ID, b.ID))
	})
	return hosts, waiting[:min(len(waiting), mostPartners)]
}

// worth is by how much the speeds of two jobs on the same GPUs exceed one job
// alone: from their profiles, else from how busy they keep their GPUs. Nothing
// known is worth nothing.
func (s *slicer) worth(host, guest *policy.Entry) float64 {
	typ := host.On[0].Type
	if host.On.Count() != guest.Ask.GPUs.Count || guest.Ask.GPUs.Type != "" && guest.Ask.GPUs.Type != typ {
		return 0
	}
	a, known := beside(host.Job, guest.Class, typ)
	b, knownToo := beside(guest.Job, host.Class, typ)
	switch {
	case known && knownToo:
		return a + b - s.Keep
	case host.Busy.Known && guest.Busy.Known:
		return 1 - host.Busy.Value - guest.Busy.Value
	}
	return 0
}

// beside is the job's profiled speed beside a neighbour of the class, relative
// to being alone.
func beside(j *policy.Job, class, typ string) (float64, bool) {
	if j.Training == nil || class == "" {
		return 0, false
	}
	alone, ok := j.Training.Rate(typ)
	if !ok || alone <= 0 {
		return 0, false
	}
	for _, b := range j.Training.Beside {
		if b.Type == typ && b.Class == class {
			return b.Steps / alone, true
		}
	}
	return 0, false
}
