package slurmrun

import (
	"time"

	"fairbridge/bridge/cycle"
)

// cycleSkipper are the cycles that are left out because they could change nothing:
// no job waits, so there is nothing to order, to hold or to make room for; no
// edit of ours is under way; and nothing has happened since the last cycle.
// What a policy does for its own sake with running jobs (moving them together,
// say) it gets to do at least every maxSkippedTime.
type cycleSkipper struct {
	runsEveryCycle bool // every cycle is run
	warmupCycles   int  // cycles at the start that are run
	cycleCount     int  // that were run
	wasIdle        bool // after the last one nothing was left to do
	skippedCount   int  // cycles left out so far
}

// maxSkippedTime is how long cycles may be left out at a time.
const maxSkippedTime = 10 * time.Minute

// noteCycle takes note of a cycle after which so many jobs wait and so many intents
// are open.
func (q *cycleSkipper) noteCycle(rep *cycle.Report, waiting, open int) {
	q.cycleCount++
	q.wasIdle = !q.runsEveryCycle && q.cycleCount > q.warmupCycles && rep.Result == cycle.ResultNothing && len(rep.Intents) == 0 &&
		waiting == 0 && open == 0 && !needsEveryCycle(rep)
}

// needsEveryCycle reports whether the policy carries something from cycle to cycle that
// each would change.
func needsEveryCycle(rep *cycle.Report) bool {
	for i := range rep.PartitionResults {
		if p := rep.PartitionResults[i].Plan; p != nil && !p.Memo.IsTimeless() {
			return true
		}
	}
	return false
}
