package slurm

import (
	"errors"
	"fmt"
	"testing"
)

func TestOutcome(t *testing.T) {
	for class, want := range map[Class]Outcome{
		Gone: MovedOn, Changed: MovedOn, Refused: NotDone, Rejected: NotDone, Denied: NotDone, NoVersion: NotDone,
		Unreachable: NotDone, Busy: MaybeDone, Unclear: MaybeDone, Garbled: MaybeDone, "of a later version": MaybeDone,
	} {
		if got := OutcomeOf(fmt.Errorf("writing: %w", &Error{Class: class})); got != want {
			t.Errorf("%s: %s, want %s", class, got, want)
		}
	}
	if OutcomeOf(nil) != Done || OutcomeOf(errors.New("?")) != MaybeDone {
		t.Error("no error, or one of no class")
	}
}
