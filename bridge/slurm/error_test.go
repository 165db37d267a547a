package slurm

import (
	"errors"
	"fmt"
	"testing"
)

func TestOutcome(t *testing.T) {
	for class, want := range map[ErrorClass]Outcome{
		ErrorJobGone: OutcomeJobMovedOn, ErrorJobChanged: OutcomeJobMovedOn, ErrorForbidden: OutcomeNotDone, ErrorBadRequest: OutcomeNotDone, ErrorBadToken: OutcomeNotDone, ErrorVersionNotServed: OutcomeNotDone,
		ErrorUnreachable: OutcomeNotDone, ErrorBusy: OutcomeMaybeDone, ErrorOutcomeUnknown: OutcomeMaybeDone, ErrorGarbledReply: OutcomeMaybeDone, "of a later version": OutcomeMaybeDone,
	} {
		if got := OutcomeOf(fmt.Errorf("writing: %w", &Error{Class: class})); got != want {
			t.Errorf("%s: %s, want %s", class, got, want)
		}
	}
	if OutcomeOf(nil) != OutcomeDone || OutcomeOf(errors.New("?")) != OutcomeMaybeDone {
		t.Error("no error, or one of no class")
	}
}
