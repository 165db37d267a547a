package through

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
	cycles int  // that were run
	now    bool // the last one found everything quiet
	left   int  // out, so far
}

// recheck is how long cycles may be left out at a time.
const recheck = 10 * time.Minute

// looked takes note of a cycle.
func (r *runner) looked(rep *cycle.Report) {
	q := &r.quiet
	q.cycles++
	q.now = !r.Every && q.cycles > r.Loop.Warmup && rep.Result == cycle.Nothing && len(rep.Intents) == 0 &&
		r.w.Waiting() == 0 && r.past.Open() == 0 && !remembers(rep)
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

// rest lets time pass until the next cycle that is worth it. Cycles stay on
// their beat, and keep their numbers.
func (r *runner) rest() {
	from, out := r.w.Now(), 0
	for {
		r.forward(r.w.Now().Add(r.Loop.Interval))
		now := r.w.Now()
		if !r.quiet.now || r.done() || !r.w.Changed().Before(from) || now.Add(r.Loop.Interval).Sub(from) > recheck {
			break
		}
		out++
	}
	if out > 0 {
		r.past.Skip(partition, out)
		r.quiet.left += out
	}
}
