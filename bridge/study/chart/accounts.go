package chart

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// accountGroups puts the shares of the policies together by account, in percent.
func (p Page) accountGroups(names []string, shares []map[string]float64) []group {
	weights := 0.0
	for _, name := range slices.Sorted(maps.Keys(p.Shares)) {
		weights += p.Shares[name]
	}
	var all []group
	for _, name := range names {
		g := group{name: name}
		if weights > 0 {
			g.due = 100 * p.Shares[name] / weights
		}
		for i, pol := range p.Policies {
			g.bars = append(g.bars, bar{pol.Label, i, 100 * shares[i][name]})
		}
		all = append(all, g)
	}
	return all
}

// largestShare is the greatest value, as a fraction.
func largestShare(groups []group) float64 {
	most := 0.0
	for _, g := range groups {
		most = max(most, g.due)
		for _, b := range g.bars {
			most = max(most, b.value)
		}
	}
	return most / 100
}

func describeShares(groups []group) string {
	var all []string
	for _, g := range groups {
		s := "Account " + g.name
		if g.due > 0 {
			s += fmt.Sprintf(", due %.1f %%", g.due)
		}
		for _, b := range g.bars {
			s += fmt.Sprintf("; %s %.1f %%", b.label, b.value)
		}
		all = append(all, s+".")
	}
	return strings.Join(all, " ")
}
