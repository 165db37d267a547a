package learn

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/recurrence"
)

// What it takes to believe a comparison of types: runs of a group on each of two
// types, and users who made such groups.
const (
	minRunsPerType  = 3
	minUsersPerPair = 3
)

// runGroupKey names a group of runs that should take as long as each other but for their GPUs: of a
// user's job of one name and size.
type runGroupKey struct {
	user, name string
	gpus       int
}

// CompareSpeeds compares types of GPU by how long jobs of one user, name and size ran on
// several of them: half as long is twice as fast. Each user counts as much as the
// others, however many jobs they have, and it takes three to compare two types.
// Only ratios mean something; types on which no user ran like jobs, and runs that their
// time limit ended, tell nothing. Sorted by type.
func CompareSpeeds(runs []Run) []policy.Speed {
	log, users := compareTypeSpeeds(runs)
	types := slices.Sorted(maps.Keys(log))
	speed := map[string]float64{}
	for range 200 { // each is where those it is compared with say it should be
		for _, a := range types {
			sum, n := 0.0, 0.0
			for _, b := range types {
				if w := float64(len(users[typePair{a, b}])); w >= minUsersPerPair {
					sum, n = sum+w*(speed[b]+log[a][b]/w), n+w
				}
			}
			if n > 0 {
				speed[a] = sum / n
			}
		}
	}
	var out []policy.Speed
	for _, t := range types {
		if v, ok := speed[t]; ok {
			out = append(out, policy.Speed{Type: t, Speed: math.Exp(v)})
		}
	}
	return out
}

type typePair struct{ firstType, secondType string }

// compareTypeSpeeds returns by how much, in logarithms, each type is faster than each
// other, summed over users, and which users say so.
func compareTypeSpeeds(runs []Run) (log map[string]map[string]float64, users map[typePair]map[string]bool) {
	log, users = map[string]map[string]float64{}, map[typePair]map[string]bool{}
	differences := map[typePair]map[string][]float64{}
	for g, types := range logMedianRunTimes(runs) {
		for a, x := range types {
			for b, y := range types {
				if a != b {
					p := typePair{a, b}
					if differences[p] == nil {
						differences[p] = map[string][]float64{}
					}
					differences[p][g.user] = append(differences[p][g.user], y-x)
				}
			}
		}
	}
	for p, by := range differences {
		if log[p.firstType] == nil {
			log[p.firstType] = map[string]float64{}
		}
		users[p] = map[string]bool{}
		for _, user := range slices.Sorted(maps.Keys(by)) {
			log[p.firstType][p.secondType] += median(by[user])
			users[p][user] = true
		}
	}
	return log, users
}

// logMedianRunTimes returns the logarithm of the median run time of each group on each
// type that it ran on often enough.
func logMedianRunTimes(runs []Run) map[runGroupKey]map[string]float64 {
	all := map[runGroupKey]map[string][]float64{}
	for i := range runs {
		r := &runs[i]
		if r.GPUType == "" || r.Ran <= 0 || r.Limit > 0 && r.Ran >= r.Limit {
			continue
		}
		g := runGroupKey{r.User, recurrence.NameWithoutCounters(r.Name), r.GPUs}
		if all[g] == nil {
			all[g] = map[string][]float64{}
		}
		all[g][r.GPUType] = append(all[g][r.GPUType], math.Log(r.Ran.Seconds()))
	}
	out := map[runGroupKey]map[string]float64{}
	for g, types := range all {
		for typ, list := range types {
			if len(list) >= minRunsPerType {
				if out[g] == nil {
					out[g] = map[string]float64{}
				}
				out[g][typ] = median(list)
			}
		}
	}
	return out
}

// median is the middle value. It sorts the list.
func median(list []float64) float64 {
	slices.SortFunc(list, cmp.Compare[float64])
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
