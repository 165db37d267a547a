package engine

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
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
	// Patience is how many times its own length (ByForecast) a job waits, and
	// Least what it waits at least, before it goes to the front likewise, if
	// stopping others could never make room for it; Patience 0: only MaxWait
	// counts. Without MaxWait there is none either.
	Patience float64
	Least    time.Duration // 0: 2 hours
	// Tries bounds the fruitless searches of one round: for victims, and for
	// other nodes after a judge objected; 0: 256 of each.
	Tries int
}

func (r Rules) withDefaults() Rules {
	r.MinRun = cmp.Or(r.MinRun, 10*time.Minute)
	r.Restarts = cmp.Or(r.Restarts, 20)
	r.MaxStops = cmp.Or(r.MaxStops, 3)
	r.MaxWait = cmp.Or(r.MaxWait, 24*time.Hour)
	r.Least = cmp.Or(r.Least, 2*time.Hour)
	r.Tries = cmp.Or(r.Tries, 256)
	return r
}

// leaves reports whether the rules let a running job be stopped at now.
func (r Rules) leaves(j *policy.Job, now time.Time) bool {
	lease := max(r.MinRun, time.Duration(r.Restarts)*j.Checkpoint)
	return r.ever(j) && j.Ran(now) >= lease
}

// leaves reports whether the rules let a running job be stopped, and it could
// start again at once if there were room: not when its limit reaches into a
// maintenance, which it would have to wait for.
func (r *Round) leaves(rules Rules, e *Entry) bool {
	return rules.leaves(e.Job, r.Now) && r.WindowError(e) == nil
}

// ever reports whether the rules let a running job be stopped now or later.
func (r Rules) ever(j *policy.Job) bool {
	return j.State == policy.Running && j.Fixed == "" && len(j.On) > 0 && (r.MaxStops < 0 || j.Stops < r.MaxStops)
}

// age moves the jobs that waited too long and could ever run to the front, the
// one that was due first before the others.
func (w *walk) age() {
	var old []*Entry
	for _, e := range w.line {
		if e.verdict.late = w.rules.Late(w.Round, e); e.verdict.late > 0 && e.Want > 0 && w.Possible(e) == nil {
			e.verdict.aged = true
			old = append(old, e)
		}
	}
	if len(old) == 0 {
		return
	}
	slices.SortFunc(old, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(b.verdict.late, a.verdict.late), ByArrival(a, b))
	})
	w.line = appendIf(old, w.line, func(e *Entry) bool { return !e.verdict.aged })
}

// Late returns for how much longer than it may a pending job has waited since it
// could start; not more than 0: it may wait.
func (r Rules) Late(round *Round, e *Entry) time.Duration {
	if r = r.withDefaults(); r.MaxWait < 0 || e.Refused != nil || !e.CanStart(round.Now) {
		return 0
	}
	return min(e.Waited(round.Now), round.Now.Sub(e.Eligible)) - r.mayWait(round, e)
}

// Lengths says how long others are thought to run where a place is reserved for
// the job: ByForecast, and once it waited twice as long as it may, or more than
// MaxWait, ByLimit. Forecasts may be wrong, and must not be so at its cost for
// ever.
func (r Rules) Lengths(round *Round, e *Entry) Length {
	late, waited := r.Late(round, e), min(e.Waited(round.Now), round.Now.Sub(e.Eligible))
	if 2*late > waited || late > 0 && waited > r.withDefaults().MaxWait {
		return ByLimit
	}
	return ByForecast
}

// mayWait is MaxWait, or less by Patience for a job that stopping others could
// not help; the others' turn will come.
func (r Rules) mayWait(round *Round, e *Entry) time.Duration {
	if r.Patience <= 0 || e.Size() <= round.yielding(r) {
		return r.MaxWait
	}
	length, ok := ByForecast(round, e)
	if !ok || r.Patience*length.Seconds() >= r.MaxWait.Seconds() {
		return r.MaxWait
	}
	return min(max(time.Duration(r.Patience*float64(length)), r.Least), r.MaxWait)
}

// yielding counts the devices held by jobs that may be stopped now or later.
func (r *Round) yielding(rules Rules) int {
	if r.yields == nil {
		n := 0
		for _, e := range r.Active() {
			if rules.ever(e.Job) {
				n += e.On.Count()
			}
		}
		r.yields = &n
	}
	return *r.yields
}
