package rest

import (
	"testing"
)

// TestSiblingsAreNotAsked: a job is read from this cluster alone, where the API can be told so.
func TestSiblingsAreNotAsked(t *testing.T) {
	for version, want := range map[int]string{38: "job/7", 40: "job/7", 42: "job/7?flags=LOCAL", 45: "job/7?flags=LOCAL"} {
		api, _ := APIFromVersion(version)
		if got := jobPath(api, 7); got != want {
			t.Errorf("v%d: %s, want %s", version, got, want)
		}
	}
}
