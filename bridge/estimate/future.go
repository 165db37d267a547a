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
	draw          int
	at            time.Duration
	free          *pool.Pool
	byEnd         []*runningJob // in the order in which they end
	byLimit       []*runningJob // in the order in which Slurm thinks they end
	line          shapeLine
	blockedLimits []time.Duration // by room: the shortest time limit that had none in this pass
	reservations  []reservation
	triedSmaller  int // in this pass
}

// runningJob is devices that come free.
type runningJob struct {
	on            policy.Alloc
	cpus          int
	memMB         int64
	end, limitEnd time.Duration // when it ends, and when Slurm thinks it ends
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

// addAllRunning is addRunning of one after another, into nothing.
func (f *future) addAllRunning(all []*runningJob) {
	f.byEnd = slices.Clone(all)
	slices.Reverse(f.byEnd) // of those that end at once the last added is the first
	f.byLimit = slices.Clone(f.byEnd)
	slices.SortStableFunc(f.byEnd, compareEnds)
	slices.SortStableFunc(f.byLimit, compareLimits)
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

// minStep and defaultStepShare are how far one pass over the line is from the next: what is far away
// need not be known to the second.
const (
	minStep          = 10 * time.Second
	defaultStepShare = .02
)

// run goes from pass to pass until every job of the line has started, or the one that is asked for.
func (f *future) run() {
	for f.line.count > 0 && f.at < Horizon {
		f.startWaiting()
		if f.hasStartedOnly() || !f.advance() {
			break
		}
	}
	for i := range f.line.jobs {
		if j := &f.line.jobs[i]; f.lacksStart(j) {
			j.addStart(Horizon, f.lengthOf(j))
		}
	}
	f.endSmaller()
}

// hasStartedOnly reports whether nothing more is to be known of this draw.
func (f *future) hasStartedOnly() bool { return f.only != nil && !f.lacksStart(f.only) }

// lacksStart reports whether a job that is wanted has not started yet in this draw.
func (f *future) lacksStart(j *modelJob) bool {
	return len(j.starts) == f.draw && (f.only == nil || f.only == j)
}

// lengthOf returns how long a job runs in this draw.
func (f *future) lengthOf(j *modelJob) time.Duration {
	if j.parts == nil {
		j.parts = partsOfDraws(j.ID, f.drawCount)
	}
	return j.left.draw(j.parts[f.draw], f.drawCount)
}

// advance goes to the next moment at which a job might start; false: there is none.
func (f *future) advance() bool {
	next := f.nextEvent()
	if next == never {
		return false
	}
	f.at = max(next, f.at+max(minStep, time.Duration(f.stepShare*float64(f.at))))
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
	next := f.line.nextEligible()
	if len(f.byEnd) > 0 {
		next = min(next, f.byEnd[0].end)
	}
	if i := slices.IndexFunc(f.windowEnds, func(end time.Duration) bool { return end > f.at }); i >= 0 {
		next = min(next, f.windowEnds[i])
	}
	return next
}

// startWaiting goes through the line once.
func (f *future) startWaiting() {
	f.reservations = f.reservations[:0]
	for room := range f.blockedLimits {
		f.blockedLimits[room] = never
	}
	f.triedSmaller = 0
	f.line.beginPass(f.at)
	for j := f.line.next(); j != nil; j = f.line.next() {
		f.trySmaller(f.line.place())
		if f.tryStart(j) {
			f.line.takeTask()
		} else {
			f.line.passShape()
		}
	}
	f.trySmaller(len(f.line.jobs))
}

// tryStart starts one task of a job if it has room and is in no other's way.
func (f *future) tryStart(j *modelJob) bool {
	on := f.findRoom(j, f.reservations)
	if on == nil {
		f.reserve(j)
		return false
	}
	f.free.Overdraw(on, j.ask.CPUs, j.ask.MemMB)
	length := f.lengthOf(j)
	f.addRunning(&runningJob{on: on, cpus: j.ask.CPUs, memMB: j.ask.MemMB, end: f.at + length, limitEnd: latestEnd(f.at, j.ask.Limit)})
	if f.lacksStart(j) {
		j.addStart(f.at, length)
	}
	return true
}
