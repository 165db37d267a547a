package slurmrun

import (
	"time"

	"fairbridge/bridge/cycle"
)

// quiet are the cycles that are left out because they could change nothing:
// no job waits, so there is nothing to order, to hold or to make room for; no
// edit of ours is under way; and nothing has happened since the last cycle.
// What a policy does for its own sake with running jobs (moving them together,
// say) it gets to do at least every recheck.
type quiet struct {
	never  bool // every cycle is run
	warmup int  // cycles at the start that are run
	cycles int  // that were run
	now    bool // the last one found everything quiet
	left   int  // out, so far
}

// recheck is how long cycles may be left out at a time.
const recheck = 10 * time.Minute

// note takes note of a cycle after which so many jobs wait and so many intents
// are open.
func (q *quiet) note(rep *cycle.Report, waiting, open int) {
	q.cycles++
	q.now = !q.never && q.cycles > q.warmup && rep.Result == cycle.Nothing && len(rep.Intents) == 0 &&
		waiting == 0 && open == 0 && !remembers(rep)
}

// remembers reports whether the policy carries something from cycle to cycle:
// then every cycle counts.
func remembers(rep *cycle.Report) bool {
	for i := range rep.Evaluations {
		if p := rep.Evaluations[i].Plan; p != nil && !p.Memo.IsZero() {
			return true
		}
	}
	return false
}
