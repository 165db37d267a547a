package fairbridge

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
)

// slackLine is the line of one round.
type slackLine struct {
	*Policy
	peaks  *peaks
	levels map[string]float64 // by account: what it used over its share of all use
	wait   patiences
}

// below reports whether the account used less than its share.
func (l *slackLine) below(account string) bool { return l.levels[account] < 1 }

// standings are the parts of its share below which an account goes before those
// that used more: nobody far below its share pays for one that is nearly at it.
var standings = [...]float64{.25, .5, 1}

// standing returns how many of them the account has reached.
func (l *slackLine) standing(account string) (n int) {
	for n < len(standings) && l.levels[account] >= standings[n] {
		n++
	}
	return n
}

// Classes of the line, first served first.
const (
	due = iota // it waited too long for jobs that must not be stopped
	urgent
	long
	short
)

// turn is where an entry stands in line.
type turn struct {
	*engine.Entry
	standing int // of its account
	class    int
	key      float64 // seconds; ascending
}

// Order implements engine.Orderer.
func (l *slackLine) Order(r *engine.Round) ([]*engine.Entry, error) {
	length := scheduleLength(r)
	turns := make([]turn, len(r.Entries))
	for i, e := range r.Entries {
		turns[i] = l.turn(r, e, l.peaks.Peak[i], length)
	}
	slices.SortFunc(turns, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.standing, b.standing), cmp.Compare(a.class, b.class), cmp.Compare(a.key, b.key), engine.ByArrival(a.Entry, b.Entry))
	})
	line := make([]*engine.Entry, len(turns))
	for i, t := range turns {
		line[i] = t.Entry
	}
	return line, nil
}

// turn finds out how much slack the job has; contention is the peak it met.
func (l *slackLine) turn(r *engine.Round, e *engine.Entry, contention, length float64) turn {
	left := e.Estimate.Left.Seconds()
	t := turn{e, l.standing(e.Account), short, left}
	if e.Active() {
		t.key *= l.Sticky
	}
	fair := l.Fair * contention * (served(e.Job) + left)
	slack := fair - r.Now.Sub(e.Arrive).Seconds() - left
	late := l.wait.due.Late(r, e).Seconds()
	switch {
	case late > 0:
		t.class, t.key = due, -late
	case left == 0: // nothing is known of it
	case slack < 0:
		t.class = urgent
	case left >= l.Long*length && measured(e.Estimate):
		t.class, t.key = long, -left
	}
	if !r.Terse {
		e.Note = t.note(left, fair, slack) + l.used(e.Account)
	}
	return t
}

// measured reports whether the estimate says how long the job will run. A time
// limit says how long at most, which makes nobody long.
func measured(e engine.Estimate) bool {
	return e.From != predict.FromLimit && e.From != predict.FromAttained
}

// note says how much slack the job has.
func (t turn) note(left, fair, slack float64) string {
	switch {
	case t.class == due:
		return fmt.Sprintf("what it waits for must not be stopped, and %s ago it had waited long enough for its own length", span(-t.key))
	case left == 0:
		return "nothing is known of its length"
	case t.class == urgent:
		return fmt.Sprintf("it must run now to finish by its fair time, %s after it arrived", span(fair))
	case t.class == long:
		return fmt.Sprintf("with %s to go it is among the longest, which all work here waits for", span(left))
	}
	return fmt.Sprintf("it has %s to go and %s of slack", span(left), span(slack))
}

// used says what the account used, unless all stand alike.
func (l *slackLine) used(account string) string {
	switch level := l.levels[account]; {
	case level == 1:
		return ""
	case level < 1:
		return fmt.Sprintf("; its account used %.2f of its share, and goes before those that used more", level)
	default:
		return fmt.Sprintf("; its account used %.2f times its share, and goes after those that used less than theirs", level)
	}
}

// scheduleLength is the shortest time, in seconds, in which all work that could
// run now can be done: the longest job, or all GPU time on all GPUs.
func scheduleLength(r *engine.Round) float64 {
	gpus, work, longest := r.Whole(), 0.0, 0.0
	for _, e := range r.Entries {
		left, wide := e.Estimate.Left.Seconds(), e.Ask.GPUs.Whole()
		if r.Startable(e) && wide <= gpus {
			work += left * wide
			longest = max(longest, left)
		}
	}
	if gpus == 0 {
		return 0
	}
	return max(longest, work/gpus)
}

// served returns the seconds the job has run on what it asks.
func served(j *policy.Job) float64 {
	if g := j.Ask.GPUs.Whole(); g > 0 {
		return float64(j.Attained) / g
	}
	return 0
}

// span prints seconds to the minute.
func span(seconds float64) string { return policy.Seconds(seconds).Round(time.Minute).String() }
