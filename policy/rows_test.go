package policy_test

import (
	"slices"
	"testing"

	"fairbridge/policy"
)

func TestRows(t *testing.T) {
	s := &policy.Snapshot{Jobs: []policy.Job{{ID: 2}, {ID: 3}, {ID: 5}, {ID: 9}}}
	for _, c := range []struct {
		ids  []policy.JobID
		want []int
	}{
		{nil, []int{-1, -1, -1, -1}},
		{[]policy.JobID{1, 3, 4, 5}, []int{-1, 1, 3, -1}},
		{[]policy.JobID{2, 3, 5, 9, 10}, []int{0, 1, 2, 3}},
	} {
		if got := s.JobIndexes(c.ids); !slices.Equal(got, c.want) {
			t.Errorf("Rows(%v) = %v, want %v", c.ids, got, c.want)
		}
	}
}
