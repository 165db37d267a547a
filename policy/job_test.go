package policy_test

import (
	"testing"

	"fairbridge/policy"
)

func TestRecurrence(t *testing.T) {
	for name, want := range map[string]string{"train": "train", "train-1": "train-#", "train-22": "train-#", "7b_seed3_lr0.1": "#b_seed#_lr#.#", "größe9": "größe#", "": "", "12345": "#"} {
		r, ok := (&policy.Job{User: "ann", Name: name}).Recurrence()
		if r != (policy.Recurrence{User: "ann", Name: want}) || ok != (want != "" && want != "#") {
			t.Errorf("%q: %+v, %v", name, r, ok)
		}
	}
	a, _ := policy.RecurrenceOf("ann", "x1")
	if b, _ := policy.RecurrenceOf("bob", "x1"); a == b {
		t.Error("two users' jobs are one")
	}
}
