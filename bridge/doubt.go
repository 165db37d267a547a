package bridge

import (
	"fmt"
	"time"

	"fairbridge/bridge/ledger"
)

// The effect breaker: when more than this share of what we sent in the last
// hour had no effect, and it is not just a few, Slurm does not do what we
// think it does.
const (
	maxMissed   = 0.05
	missedFloor = 5
	effectSpan  = time.Hour
)

// effective reports whether what we send is seen to happen. Jobs that end or
// start before an edit reaches them are no failures. Since nothing is pushed
// meanwhile, the breaker closes again when the failures are an hour old.
func effective(intents []ledger.Intent, now time.Time) error {
	sent, missed := 0, 0
	for i := range intents {
		in := &intents[i]
		if in.Sent.IsZero() || now.Sub(in.Sent) > effectSpan || in.State.Open() {
			continue
		}
		sent++
		if in.State == ledger.Failed {
			missed++
		}
	}
	if missed >= missedFloor && float64(missed) > maxMissed*float64(sent) {
		return fmt.Errorf("%d of %d edits of the last hour had no effect: look at the intents (fairbridge explain JOB) and at slurmctld's log", missed, sent)
	}
	return nil
}
