package policytest

import (
	"testing"

	"fairbridge/policy"
)

func TestCheckReason(t *testing.T) {
	for _, c := range []struct {
		verb policy.Verb
		why  string
		ok   bool
	}{
		{policy.Stop, "gives way on n1:1×a100 to job 7 of account vision, which has the lease of this round; it has run 5m; its rank: no slack", true},
		{policy.Stop, "gives way on n1:1×a100 to job 7 of account vision; it must run now to finish by its fair time", false},
		{policy.Wait, "waits as 2nd: needs 2 GPUs; this task must start within 3m", false},
		{policy.Wait, "waits as 2nd: needs 2 GPUs; it runs on n1", false},
		{policy.Hold, "is held back: its account is over its cap; nobody may delay it any more", false},
		{policy.Start, "starts on n1:1×a100: they are free; its rank: cannot start yet", false},
		{policy.Start, "waits as 2nd", false},
		{policy.Keep, "keeps n1:1×a100; it has run 2h0m0s", false},
		{policy.Keep, "keeps n1:1×a100; it has run 2h; its rank: 3h left by its limit", true},
		{policy.Wait, "waits as 1st: needs 1 GPUs", false},
	} {
		if err := CheckReason(&policy.Decision{Job: 1, Verb: c.verb, Why: c.why}); (err == nil) != c.ok {
			t.Errorf("%s, %q: %v", c.verb, c.why, err)
		}
	}
}
