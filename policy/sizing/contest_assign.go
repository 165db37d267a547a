package sizing

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
)

// AssignContests makes the assignments of a round: jobs with devices have a lease, those that run
// first and then the shortest, and the others stand by arrival and take what idles.
func AssignContests(r *engine.Round, contests []*Contest) []engine.Assignment {
	out, has := make([]engine.Assignment, 0, len(r.Entries)), make([]bool, len(r.Entries))
	var leased []*Contender
	seconds := map[*Contender]float64{} // once for each: where the batch follows the size, it is searched
	for _, p := range contests {
		for _, j := range p.Jobs {
			if j.Size > 0 {
				leased, has[j.Index], seconds[j] = append(leased, j), true, j.SecondsOn(j.Size)
			}
		}
	}
	slices.SortStableFunc(leased, func(a, b *Contender) int {
		holdersFirst := -compareBools(a.HoldsGPUs(), b.HoldsGPUs())
		return engine.ThenArrival(cmp.Or(holdersFirst, cmp.Compare(seconds[a], seconds[b])), a.Entry, b.Entry)
	})
	for _, j := range leased {
		a := j.AssignmentWithoutLease()
		a.DeviceCount, a.Grant.HasLease = j.Size, true
		out = append(out, a)
	}
	for _, e := range sortByArrival(r.Entries) {
		if !has[e.Index] {
			a := LeastWithoutLease(e) // not more than it asks: what idles now may be given to others in the next round
			a.DeviceCount = min(a.DeviceCount, e.DeviceCount())
			out = append(out, a)
		}
	}
	return out
}

// sortByArrival returns the entries in order of arrival.
func sortByArrival(entries []*engine.Entry) []*engine.Entry {
	line := slices.Clone(entries)
	slices.SortFunc(line, engine.CompareArrival)
	return line
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
