package catalogue_test

import (
	"testing"

	"fairbridge/policy/catalogue"
)

// TestGroups wants every system in one group, and every group explained.
func TestGroups(t *testing.T) {
	times := map[string]int{}
	for _, g := range catalogue.Groups() {
		if g.Title == "" || g.Needs == "" || g.GoodFor == "" || len(g.Systems) == 0 {
			t.Errorf("group %q: something is missing", g.Title)
		}
		for _, e := range g.Systems {
			times[e.Name]++
		}
	}
	for _, e := range catalogue.Systems() {
		if times[e.Name] != 1 {
			t.Errorf("%s is in %d groups: groups.go names each in one", e.Name, times[e.Name])
		}
	}
}
