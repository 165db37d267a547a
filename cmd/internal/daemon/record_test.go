package daemon

import (
	"errors"
	"fmt"
	"testing"

	"fairbridge/bridge/slurm"
)

// TestFailuresAreToldOnce: times and counts in a text make no other failure of it.
func TestFailuresAreToldOnce(t *testing.T) {
	garbled := func(at string) error {
		return fmt.Errorf("records from %s: %w", at, &slurm.Error{Class: slurm.ErrorGarbledReply, HTTPStatus: 200,
			Err: errors.New("after " + at)})
	}
	if kindOfFailure(garbled("10:00")) != kindOfFailure(garbled("11:20")) ||
		kindOfFailure(errors.New("at 10:00")) != kindOfFailure(errors.New("at 9:00")) {
		t.Error("one failure at two times is two")
	}
	if kindOfFailure(garbled("10:00")) == kindOfFailure(&slurm.Error{Class: slurm.ErrorBusy}) ||
		kindOfFailure(nil) != "" || kindOfFailure(errors.New("x")) == "" {
		t.Error("two failures are one")
	}
	told := map[string]bool{}
	if first, again := newlyBad([]string{"a", "b"}, told), newlyBad([]string{"b", "c"}, told); len(first) != 2 ||
		len(again) != 1 || again[0] != "c" {
		t.Errorf("%v, then %v", first, again)
	}
}
