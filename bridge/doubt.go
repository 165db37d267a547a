package bridge

import (
	"fmt"
	"time"

	"fairbridge/bridge/ledger"
)

// The breakers: when more than this share of what we sent in the last hour had
// no effect, or was changed by somebody after us, and it is not just a few,
// then Slurm does not do what we think it does, or people are fighting us.
const (
	maxMissed   = 0.05
	missedFloor = 5
	effectSpan  = time.Hour
)

// tripped counts the intents sent in the last hour that ended in the state.
func tripped(intents []ledger.Intent, end ledger.State, now time.Time) (sent, bad int, open bool) {
	for i := range intents {
		in := &intents[i]
		if in.Sent.IsZero() || now.Sub(in.Sent) > effectSpan || in.State.Open() {
			continue
		}
		sent++
		if in.State == end {
			bad++
		}
	}
	return sent, bad, bad >= missedFloor && float64(bad) > maxMissed*float64(sent)
}

// effective reports whether what we send is seen to happen. Jobs that end or
// start before an edit reaches them are no failures. Since nothing is pushed
// meanwhile, the breaker closes again when the failures are an hour old.
func effective(intents []ledger.Intent, now time.Time) error {
	if sent, missed, open := tripped(intents, ledger.Failed, now); open {
		return fmt.Errorf("%d of %d edits of the last hour had no effect: look at the intents (fairbridge explain JOB) and at slurmctld's log", missed, sent)
	}
	return nil
}

// welcome reports whether people leave standing what we set.
func welcome(intents []ledger.Intent, now time.Time) error {
	if sent, yielded, open := tripped(intents, ledger.Yielded, now); open {
		return fmt.Errorf("%d of %d edits of the last hour were changed by somebody after us: ask who (fairbridge explain JOB tells which jobs)", yielded, sent)
	}
	return nil
}
