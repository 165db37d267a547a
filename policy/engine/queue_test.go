package engine

import (
	"testing"

	"fairbridge/policy"
)

// TestQueueNamesThoseAhead wants the place of the next job, and the account with most
// jobs ahead of it.
func TestQueueNamesThoseAhead(t *testing.T) {
	q := waitingQueue{waitingCountByAccount: map[string]int{}}
	for i, want := range []struct{ account, next, ahead string }{
		{"a", "1st", "no job waits ahead"},
		{"b", "2nd", "1 job of account a waits ahead"},
		{"b", "3rd", "2 jobs wait ahead, 1 of them of account a"},
		{"b", "4th", "3 jobs wait ahead, 2 of them of account b"},
	} {
		if next, ahead := q.nextOrdinal(), q.describeAhead(); next != want.next || ahead != want.ahead {
			t.Errorf("with %d ahead: %s, %q, want %s, %q", i, next, ahead, want.next, want.ahead)
		}
		q.add(&Entry{Job: &policy.Job{Account: want.account}})
	}
	for waiting, want := range map[int]string{10: "11th", 11: "12th", 12: "13th", 20: "21st", 110: "111th", 121: "122nd"} {
		if got := (&waitingQueue{waitingCount: waiting}).nextOrdinal(); got != want {
			t.Errorf("after %d: %s, want %s", waiting, got, want)
		}
	}
}

// TestDemandsOverlap wants jobs of any type to queue for every type of their partition.
func TestDemandsOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b queueDemand
		want bool
	}{
		{queueDemand{"p", "a100"}, queueDemand{"p", "a100"}, true},
		{queueDemand{"p", "a100"}, queueDemand{"p", "v100"}, false},
		{queueDemand{"p", "a100"}, queueDemand{"p", ""}, true},
		{queueDemand{"p", ""}, queueDemand{"p", "v100"}, true},
		{queueDemand{"p", "a100"}, queueDemand{"q", "a100"}, false},
	} {
		if c.a.overlaps(c.b) != c.want || c.b.overlaps(c.a) != c.want {
			t.Errorf("%v and %v overlap: %t, want %t", c.a, c.b, !c.want, c.want)
		}
	}
}
