package estimate

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// future is one way in which the time to come may go. Times are from now.
type future struct {
	*model
	at            time.Duration
	free          *pool.Pool
	byEnd         []*runningJob // in the order in which they end
	byLimit       []*runningJob // in the order in which Slurm thinks they end
	waiting       []waitingJob  // in their line
	passCount     int
	blockedInPass []int // by shape: the last pass in which one did not fit
	reservations  []reservation
}

// runningJob is devices that come free.
type runningJob struct {
	on            policy.Alloc
	cpus          int
	memMB         int64
	end, limitEnd time.Duration // when it ends, and when Slurm thinks it ends
}

// waitingJob is a job of the line with the run time of this draw.
type waitingJob struct {
	*modelJob
	length     time.Duration
	taskCount  int // tasks that are left to start
	hasStarted bool
}

func compareEnds(a, b *runningJob) int   { return cmp.Compare(a.end, b.end) }
func compareLimits(a, b *runningJob) int { return cmp.Compare(a.limitEnd, b.limitEnd) }

// addRunning adds a job that runs.
func (f *future) addRunning(r *runningJob) {
	i, _ := slices.BinarySearchFunc(f.byEnd, r, compareEnds)
	f.byEnd = slices.Insert(f.byEnd, i, r)
	i, _ = slices.BinarySearchFunc(f.byLimit, r, compareLimits)
	f.byLimit = slices.Insert(f.byLimit, i, r)
}

// endRunning gives back what jobs have that ended by now.
func (f *future) endRunning() {
	ended := 0
	for ended < len(f.byEnd) && f.byEnd[ended].end <= f.at {
		ended++
	}
	f.giveBack(f.byEnd[:ended])
	f.byEnd = slices.Delete(f.byEnd, 0, ended)
	f.byLimit = slices.DeleteFunc(f.byLimit, func(r *runningJob) bool { return r.end <= f.at })
}

func (f *future) giveBack(ended []*runningJob) {
	for _, r := range ended {
		f.free.GiveBack(r.on, r.cpus, r.memMB)
	}
}

// noLimit is how long a job without limit runs for Slurm.
const noLimit = 365 * 24 * time.Hour

func latestEnd(from, most time.Duration) time.Duration {
	if most <= 0 {
		most = noLimit
	}
	return from + most
}

// minStep and stepShare are how far one pass over the line is from the next: what is far away
// need not be known to the second.
const (
	minStep   = 10 * time.Second
	stepShare = .02
)

// run goes from pass to pass until every job of the line has started.
func (f *future) run() {
	for len(f.waiting) > 0 && f.at < Horizon {
		f.passCount++
		f.startWaiting()
		if !f.advance() {
			break
		}
	}
	for i := range f.waiting {
		if w := &f.waiting[i]; !w.hasStarted {
			w.starts, w.ends = append(w.starts, Horizon), append(w.ends, Horizon+w.length)
		}
	}
}

// advance goes to the next moment at which a job might start; false: there is none.
func (f *future) advance() bool {
	next := f.nextEvent()
	if next == never {
		return false
	}
	f.at = max(next, f.at+max(minStep, time.Duration(stepShare*float64(f.at))))
	f.endRunning()
	if len(f.windowEnds) > 0 {
		f.free.AdvanceTo(f.now.Add(f.at))
	}
	return true
}

// never is later than any moment.
const never = time.Duration(1<<63 - 1)

// nextEvent returns when next a job ends, a job may start, or nodes are no longer set aside.
func (f *future) nextEvent() time.Duration {
	next := never
	if len(f.byEnd) > 0 {
		next = f.byEnd[0].end
	}
	for i := range f.waiting {
		if e := f.waiting[i].eligible; e > f.at {
			next = min(next, e)
		}
	}
	if i := slices.IndexFunc(f.windowEnds, func(end time.Duration) bool { return end > f.at }); i >= 0 {
		next = min(next, f.windowEnds[i])
	}
	return next
}

// startWaiting goes through the line once.
func (f *future) startWaiting() {
	f.reservations = f.reservations[:0]
	left := f.waiting[:0]
	for i := range f.waiting {
		w := f.waiting[i]
		for w.taskCount > 0 && f.tryStart(&w) {
			w.taskCount--
		}
		if w.taskCount > 0 {
			left = append(left, w)
		}
	}
	f.waiting = left
}

// tryStart starts one task of a job if it has room and is in no other's way.
func (f *future) tryStart(w *waitingJob) bool {
	if w.eligible > f.at || f.blockedInPass[w.shape] == f.passCount {
		return false
	}
	on := f.findRoom(w)
	if on == nil {
		f.blockedInPass[w.shape] = f.passCount
		f.reserve(w)
		return false
	}
	f.free.Overdraw(on, w.ask.CPUs, w.ask.MemMB)
	f.addRunning(&runningJob{on: on, cpus: w.ask.CPUs, memMB: w.ask.MemMB, end: f.at + w.length, limitEnd: latestEnd(f.at, w.ask.Limit)})
	if !w.hasStarted {
		w.hasStarted = true
		w.starts, w.ends = append(w.starts, f.at), append(w.ends, f.at+w.length)
	}
	return true
}
