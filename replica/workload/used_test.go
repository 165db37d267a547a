package workload_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

func TestUsed(t *testing.T) {
	got := workload.SplitAccountUse([]policy.Account{{Name: "a", UsedService: 12}, {Name: "b"}, {Name: "gone", UsedService: 5}},
		[]workload.Job{{User: "y", Account: "a"}, {User: "x", Account: "a"}, {User: "y", Account: "a"}, {User: "x", Account: "b"}})
	want := []policy.User{{Name: "gone", Account: "gone", UsedService: 5}, {Name: "x", Account: "a", UsedService: 6}, {Name: "y", Account: "a", UsedService: 6}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
