package fairbridge

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
	"fairbridge/policy/share"
)

// slackOrder is the line of one round.
type slackOrder struct {
	*Policy
	snapshot            *policy.Snapshot
	peaks               *contentionPeaks
	hasReports          bool               // jobs report of themselves, or did: all have to be asked for
	usageLevelByAccount map[string]float64 // see usageLevel
	waitRules           waitRules
}

// IsSparable implements engine.Sparable.
func (l *slackOrder) IsSparable(*policy.Snapshot) bool { return !l.hasReports }

// usageLevel is what the account used over its share of all use.
func (l *slackOrder) usageLevel(account string) float64 {
	if l.usageLevelByAccount == nil {
		l.usageLevelByAccount = share.UsageOverShare(l.snapshot)
	}
	return l.usageLevelByAccount[account]
}

// isBelowShare reports whether the account used less than its share.
func (l *slackOrder) isBelowShare(account string) bool { return l.usageLevel(account) < 1 }

// shareClassBounds are the parts of its share below which an account goes before
// those that used more: none far below its share pays for one that is nearly at it.
var shareClassBounds = [...]float64{.25, .5, 1}

// shareClass returns how many of them the account has reached.
func (l *slackOrder) shareClass(account string) (n int) {
	for n < len(shareClassBounds) && l.usageLevel(account) >= shareClassBounds[n] {
		n++
	}
	return n
}

// Classes of the line, first served first.
const (
	classOverdue = iota // it waited too long for jobs that must not be stopped
	classUrgent
	classLong
	classShort
)

// position is where a job stands in line.
type position struct {
	*engine.Entry
	shareClass int // of its account
	class      int
	sortKey    float64 // seconds; ascending
}

// Order implements engine.Orderer.
func (l *slackOrder) Order(r *engine.Round) ([]*engine.Entry, error) {
	for _, e := range r.Entries {
		e.Estimate() // of all, in this order: the memory of reports rests on it
	}
	return r.Line(comparePositions(l.positions(r, r.Entries))), nil
}

// OrderWaiting implements engine.WaitingOrderer.
func (l *slackOrder) OrderWaiting(r *engine.Round, waiting []*engine.Entry) {
	slices.SortFunc(waiting, comparePositions(l.positions(r, waiting)))
}

func comparePositions(positions []position) func(x, y *engine.Entry) int {
	return func(x, y *engine.Entry) int {
		a, b := &positions[x.Index], &positions[y.Index]
		return engine.ThenArrival(cmp.Or(cmp.Compare(a.shareClass, b.shareClass), cmp.Compare(a.class, b.class),
			cmp.Compare(a.sortKey, b.sortKey)), x, y)
	}
}

// positions are the places of the entries, by Entry.Index.
func (l *slackOrder) positions(r *engine.Round, entries []*engine.Entry) []position {
	all := make([]position, len(r.Entries))
	if o, ok := l.newLearntOrder(r); ok {
		lanes := l.laneSeconds(r, entries, o.stickySeconds)
		for _, e := range entries {
			all[e.Index] = o.positionOf(r, e, lanes[e.Index])
		}
		return all
	}
	laneOf := func(e *engine.Entry) float64 { return l.stickySeconds(r, e) }
	if !l.areOfOneLane(r, entries) {
		lanes := l.laneSeconds(r, entries, l.stickySeconds)
		laneOf = func(e *engine.Entry) float64 { return lanes[e.Index] }
	}
	length := scheduleLength{round: r, gpus: r.WholeGPUs()}
	for _, e := range entries {
		all[e.Index] = l.classify(r, e, &length, laneOf(e))
	}
	return all
}

// classify finds out how much slack the job has; lane is the seconds by which it stands among others.
func (l *slackOrder) classify(r *engine.Round, e *engine.Entry, length *scheduleLength, lane float64) position {
	left := predict.OnFastestType(r, e).Seconds()
	p := position{e, l.shareClass(e.Account), classShort, lane}
	fair := l.Fair * l.peaks.Peak[e.Index] * (e.Ask.GPUs.SecondsForService(e.Attained) + left)
	slack := fair - r.Now.Sub(e.Arrive).Seconds() - left
	late := l.waitRules.overdue(e).OverdueBy(r, e).Seconds()
	switch {
	case late > 0:
		p.class, p.sortKey = classOverdue, -late
	case left == 0: // nothing is known of it
	case slack < 0:
		p.class = classUrgent
	case knowsRunTime(e.Estimate()) && length.isAtMost(left, l.Long):
		p.class, p.sortKey = classLong, -left
	}
	if !r.OmitReasons {
		e.Note = p.slackNote(left, fair, slack) + l.usageNote(e.Account)
	}
	return p
}

// knowsRunTime reports whether the estimate says how long the job will run. A time
// limit says how long at most, which makes no job long.
func knowsRunTime(e engine.TimeLeftEstimate) bool {
	return e.Source != predict.FromLimit && e.Source != predict.FromAttained
}

// slackNote says how much slack the job has.
func (p position) slackNote(left, fair, slack float64) string {
	switch {
	case p.class == classOverdue:
		return fmt.Sprintf("it has waited %s longer than a job of its length should", policy.FormatSeconds(-p.sortKey))
	case left == 0:
		return "nothing is known of its length"
	case p.class == classUrgent:
		return "no slack: run from now on it ends " + policy.FormatSeconds(-slack) + " later than its fair time, " +
			policy.FormatSeconds(fair) + " after it arrived"
	case p.class == classLong:
		return fmt.Sprintf("with %s to go it is among the longest, on which the end of all work here depends", policy.FormatSeconds(left))
	}
	return "it has " + policy.FormatSeconds(left) + " to go and " + policy.FormatSeconds(slack) + " of slack"
}

// usageNote says what the account used, unless all stand alike.
func (l *slackOrder) usageNote(account string) string {
	switch level := l.usageLevel(account); {
	case level == 1:
		return ""
	case level < 1:
		return fmt.Sprintf("; its account used %.2f of its share, and goes before those that used more", level)
	default:
		return fmt.Sprintf("; its account used %.2f times its share, and goes after those that used less than theirs", level)
	}
}

// scheduleLength is the shortest time in which all work that could run now can be done: the longest job, or all GPU
// time on all GPUs. It is reckoned as far as it is asked for.
type scheduleLength struct {
	round         *engine.Round
	entryCount    int // of the entries that are in it so far
	gpus          float64
	work, longest float64 // GPU-seconds and seconds
}

// isAtMost reports whether the seconds are such a part of the length, or more.
func (s *scheduleLength) isAtMost(seconds, part float64) bool {
	for ; s.entryCount < len(s.round.Entries) && seconds >= part*s.seconds(); s.entryCount++ {
		e := s.round.Entries[s.entryCount]
		if wide := e.Ask.GPUs.WholeGPUs(); wide <= s.gpus && s.round.MayRun(e) {
			left := predict.OnFastestType(s.round, e).Seconds()
			s.work += left * wide
			s.longest = max(s.longest, left)
		}
	}
	return seconds >= part*s.seconds()
}

// seconds is the length by what is in it so far.
func (s *scheduleLength) seconds() float64 {
	if s.gpus == 0 {
		return 0
	}
	return max(s.longest, s.work/s.gpus)
}

// laneKey is one person's jobs of one GPU type, "" for any.
type laneKey struct {
	owner   int32 // see owners
	gpuType string
}

// laneSeconds returns, by entry and for those that are asked for, in how many seconds the job would be done if the
// jobs of its user ran one after the other, the shortest first: what it has left, for a user with one job. Jobs
// stand in line by it. By what each has left alone, work cut into four jobs would be done
// before any that is whole, as each of the four is short; so the last of them stands where the
// whole would. secondsLeft says what a job has left. The order by ends of a user's own schedule is
// after E. J. Friedman and S. G. Henderson, "Fairness and Efficiency in Web Server Protocols",
// SIGMETRICS 2003.
func (l *slackOrder) laneSeconds(
	r *engine.Round, of []*engine.Entry, secondsLeft func(*engine.Round, *engine.Entry) float64,
) []float64 {
	lanes, seconds := map[laneKey][]*engine.Entry{}, make([]float64, len(r.Entries))
	isAsked := make([]bool, len(l.peaks.owners.persons))
	for _, e := range of {
		isAsked[l.peaks.owners.byJob[e.Index]] = true
	}
	for i, e := range r.Entries {
		owner := l.peaks.owners.byJob[i]
		if !isAsked[owner] {
			continue
		}
		seconds[i] = secondsLeft(r, e)
		if r.MayRun(e) {
			k := laneKey{owner, e.Ask.GPUs.Type}
			lanes[k] = append(lanes[k], e)
		}
	}
	for _, lane := range lanes {
		slices.SortFunc(lane, func(a, b *engine.Entry) int {
			return engine.ThenArrival(cmp.Compare(seconds[a.Index], seconds[b.Index]), a, b)
		})
		addTurns(lane, seconds)
	}
	return seconds
}

// areOfOneLane reports whether the jobs are of one lane. Their order by laneSeconds is then that by what each has left.
func (l *slackOrder) areOfOneLane(r *engine.Round, jobs []*engine.Entry) bool {
	owners := l.peaks.owners.byJob
	for _, e := range jobs {
		first := jobs[0]
		if owners[e.Index] != owners[first.Index] || e.Ask.GPUs.Type != first.Ask.GPUs.Type || !r.MayRun(e) {
			return false
		}
	}
	return true
}

// stickySeconds is by what jobs stand in line: what the job has left, as secondsLeft, by the GPU where that is how
// they are compared.
func (l *slackOrder) stickySeconds(r *engine.Round, e *engine.Entry) float64 {
	left := l.secondsLeft(r, e)
	if l.By == byService {
		left *= e.Ask.GPUs.WholeGPUs()
	}
	return left
}

// secondsLeft is what the job has left, less for one that runs.
func (l *slackOrder) secondsLeft(r *engine.Round, e *engine.Entry) float64 {
	left := predict.OnFastestType(r, e).Seconds()
	if e.HoldsGPUs() {
		left *= l.Sticky
	}
	return left
}

// addTurns turns what each job of a lane has left into when it would be done.
func addTurns(lane []*engine.Entry, seconds []float64) {
	before := 0.0
	for _, e := range lane {
		left := seconds[e.Index]
		seconds[e.Index] += before
		before += left * float64(e.TaskCount())
	}
}
