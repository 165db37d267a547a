package policy

import (
	"cmp"
	"slices"
	"time"
)

// Rules are what every Pipeline keeps, whatever its stages say.
type Rules struct {
	// MinRun is the shortest run before a job may be stopped or resized; 0: 10
	// minutes. A job whose Checkpoint is known runs at least Restarts times that.
	MinRun   time.Duration
	Restarts int // 0: 20
	// MaxStops is how often a job may be stopped in its life; 0: 3, negative:
	// without limit.
	MaxStops int
	// MaxWait is how long a job may wait before it goes to the front of the line
	// and gets a reservation nobody may delay; 0: 24 hours, negative: for ever.
	MaxWait time.Duration
	// Tries bounds the fruitless searches of one round: for victims, and for
	// other nodes after a judge objected; 0: 256 of each.
	Tries int
}

func (r Rules) withDefaults() Rules {
	r.MinRun = cmp.Or(r.MinRun, 10*time.Minute)
	r.Restarts = cmp.Or(r.Restarts, 20)
	r.MaxStops = cmp.Or(r.MaxStops, 3)
	r.MaxWait = cmp.Or(r.MaxWait, 24*time.Hour)
	r.Tries = cmp.Or(r.Tries, 256)
	return r
}

// leaves reports whether the rules let a running job be stopped at now.
func (r Rules) leaves(j *Job, now time.Time) bool {
	lease := max(r.MinRun, time.Duration(r.Restarts)*j.Checkpoint)
	return j.State == Running && j.Fixed == "" && len(j.On) > 0 &&
		j.Ran(now) >= lease && (r.MaxStops < 0 || j.Stops < r.MaxStops)
}

// leaves reports whether the rules let a running job be stopped, and it could
// start again at once if there were room: not when its limit reaches into a
// maintenance, which it would have to wait for.
func (r *Round) leaves(rules Rules, e *Entry) bool {
	return rules.leaves(e.Job, r.Now) && r.Shut(e) == nil
}

// aged reports whether the job has waited too long, counted from when it could
// have started.
func (r Rules) aged(j *Job, now time.Time) bool {
	return r.MaxWait > 0 && j.CanStart(now) && min(j.Waited(now), now.Sub(j.Eligible)) > r.MaxWait
}

// age moves the aged jobs that could ever run to the front, longest wait
// first.
func (w *walk) age() {
	var old []*Entry
	for _, e := range w.line {
		if e.Refused == nil && e.Want > 0 && w.rules.aged(e.Job, w.Now) && w.Possible(e) == nil {
			e.verdict.aged = true
			old = append(old, e)
		}
	}
	if len(old) == 0 {
		return
	}
	slices.SortFunc(old, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(b.Waited(w.Now), a.Waited(w.Now)), ByArrival(a, b))
	})
	w.line = appendIf(old, w.line, func(e *Entry) bool { return !e.verdict.aged })
}
