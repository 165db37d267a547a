package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
)

// TestACallByAClockThatWasAhead: a call without an answer is given up when it cannot be carried out any
// more, however long before the call it was made, also when the clock of the process that sent it was a day ahead.
func TestACallByAClockThatWasAhead(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		sent, now time.Duration // since it was made
		want      bool
	}{
		{time.Second, 4 * time.Minute, false}, {time.Second, 4*time.Minute + 2*time.Second, true}, {3 * time.Second, 0, false},
		{5 * time.Minute, 8 * time.Minute, false}, {5 * time.Minute, 9*time.Minute + time.Second, true},
		{24 * time.Hour, 13 * time.Minute, false}, {24 * time.Hour, 15 * time.Minute, true},
	} {
		in := &bridge.Intent{State: bridge.IntentUnknown, Made: at, Sent: at.Add(c.sent)}
		if got := isUnansweredTooLong(in, at.Add(c.now)); got != c.want {
			t.Errorf("sent %v and looked at %v after it was made: %t", c.sent, c.now, got)
		}
	}
}
