package chart

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// newAccountGroups puts the shares of the policies together by account, in percent.
func (p ComparisonPage) newAccountGroups(names []string, shares []map[string]float64) []barGroup {
	weights := 0.0
	for _, name := range slices.Sorted(maps.Keys(p.WeightsByAccount)) {
		weights += p.WeightsByAccount[name]
	}
	var all []barGroup
	for _, name := range names {
		g := barGroup{name: name}
		if weights > 0 {
			g.entitledShare = 100 * p.WeightsByAccount[name] / weights
		}
		for i, pol := range p.Policies {
			g.bars = append(g.bars, bar{pol.Label, i, 100 * shares[i][name]})
		}
		all = append(all, g)
	}
	return all
}

// largestShare is the greatest value, as a fraction.
func largestShare(groups []barGroup) float64 {
	most := 0.0
	for _, g := range groups {
		most = max(most, g.entitledShare)
		for _, b := range g.bars {
			most = max(most, b.value)
		}
	}
	return most / 100
}

func describeShares(groups []barGroup) string {
	var all []string
	for _, g := range groups {
		s := "Account " + g.name
		if g.entitledShare > 0 {
			s += fmt.Sprintf(", due %.1f %%", g.entitledShare)
		}
		for _, b := range g.bars {
			s += fmt.Sprintf("; %s %.1f %%", b.label, b.value)
		}
		all = append(all, s+".")
	}
	return strings.Join(all, " ")
}
