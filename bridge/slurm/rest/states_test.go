package rest

import (
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
)

// A release lists states where the version that came with it does.
func TestListsStatesAsTheTableOfVersions(t *testing.T) {
	for _, api := range apiTable {
		first, _, _ := strings.Cut(api.ReleaseRange, "–")
		if slurm.ListsStates(first+".0") != api.ListsStates {
			t.Errorf("%s, which came with %s, lists states: %t; slurm.ListsStates says otherwise", api.Name(), first, api.ListsStates)
		}
	}
}
