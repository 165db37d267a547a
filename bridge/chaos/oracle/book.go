package oracle

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// Field is a field of a job that we and people may write.
type Field string

// The fields.
const (
	Begin    Field = "begin time"
	Nice     Field = "nice"
	Site     Field = "site factor"
	Priority Field = "priority"
	Required Field = "required nodes"
	Excluded Field = "excluded nodes"
)

// fields are all of them.
var fields = []Field{Begin, Nice, Site, Priority, Required, Excluded}

type fieldOf struct {
	job   int64
	field Field
}

// fieldMark is who gave a field what.
type fieldMark struct {
	ownersValue string // what stands there but for us
	ourValue    string // what we last wrote
	at          time.Time
	stands      bool // ours is what Slurm has
	givenBack   bool // and it gave the field back: nothing of ours is in it
	foreign     bool // somebody wrote after us
	unanswered  bool // we had no answer: if somebody changes it at once we cannot know that it was done
	uncertain   bool // a write of ours had no answer, or the database was put back since we first wrote
	lost        bool // the database was put back behind our write: it cannot know
}

// jobEntry is the oracle's own account of a job.
type jobEntry struct {
	id       int64
	job      slurm.Job // as submitted
	marks    map[Field]*fieldMark
	hold     string // who holds it: "", owner, admin or us
	restarts int
	edited   int // entry of the book at which somebody last changed it
	leased   time.Duration
	arrived  time.Time // or last stopped
	split    bool      // a task that inherited what stood in its array's record
}

// book is what the oracle knows of all jobs.
type book struct {
	jobs  map[int64]*jobEntry
	count int // of changes by people
}

func newBook() *book { return &book{jobs: map[int64]*jobEntry{}} }

// entryOf returns the entry of a job, brought up to date with a requeue, which resets
// the begin time. A task that was split off an array inherits.
func (b *book) entryOf(j *slurm.Job) *jobEntry {
	e := b.jobs[j.ID]
	if e == nil || e.job.Submit.After(j.Submit) {
		e = b.addEntry(j)
	}
	if j.Restarts != e.restarts {
		e.restarts = j.Restarts
		e.marks[Begin] = &fieldMark{ownersValue: shownValue(j, Begin)}
		e.arrived = j.Submit
	}
	return e
}

func (b *book) addEntry(j *slurm.Job) *jobEntry {
	e := &jobEntry{id: j.ID, job: *j, marks: map[Field]*fieldMark{}, restarts: j.Restarts, arrived: j.Submit}
	for _, f := range fields {
		e.marks[f] = &fieldMark{ownersValue: shownValue(j, f)}
	}
	if j.IsHeld {
		e.hold = "owner"
	}
	if a := b.jobs[j.ArrayJobID]; j.ArrayJobID != 0 && j.ArrayJobID != j.ID && a != nil {
		e.hold, e.leased, e.arrived, e.edited = a.hold, a.leased, a.arrived, a.edited
		for f, m := range a.marks {
			kept := *m
			e.marks[f] = &kept
		}
		e.split = true
	}
	b.jobs[j.ID] = e
	return e
}

// ids are the jobs of the book, sorted.
func (b *book) ids() []int64 { return slices.Sorted(maps.Keys(b.jobs)) }

// hasOurValue reports whether a value of ours stands in the field of the pending job
// and is not what its owner wants.
func (e *jobEntry) hasOurValue(j *slurm.Job, f Field, now time.Time) bool {
	m := e.marks[f]
	switch {
	case !m.stands || m.ourValue == m.ownersValue:
		return false
	case f == Begin:
		return j.Eligible.After(now)
	case f == Site:
		return m.ourValue != "0"
	}
	return true
}

// uncertainRule is the name of a rule about a field of which the ledger could not know all.
func uncertainRule(rule string, m *fieldMark) string {
	if m != nil && m.uncertain {
		return rule + " after a lost answer"
	}
	return rule
}

// shownValue is the value of a field as a record shows it; a site factor is shown by no
// release.
func shownValue(j *slurm.Job, f Field) string {
	switch f {
	case Begin:
		return formatTime(j.Eligible)
	case Nice:
		return strconv.FormatInt(j.Nice, 10)
	case Required:
		return formatNodes(j.RequiredNodes)
	case Excluded:
		return formatNodes(j.ExcludedNodes)
	}
	return ""
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// formatNodes is a hostlist, sorted.
func formatNodes(list slurm.Hosts) string {
	if list.UnreadReason != "" {
		return list.Text
	}
	return strings.Join(list.Names, ",")
}

// fieldsOf are the fields an update writes.
func fieldsOf(u *sim.JobUpdate) []Field {
	var out []Field
	for _, x := range []struct {
		set   bool
		field Field
	}{
		{u.BeginTime != nil, Begin}, {u.Nice != nil, Nice}, {u.SiteFactor != nil, Site}, {u.Priority != nil || u.Hold != nil, Priority},
		{u.RequiredNodes != nil, Required}, {u.ExcludedNodes != nil, Excluded},
	} {
		if x.set {
			out = append(out, x.field)
		}
	}
	return out
}

// valueOf is what an update made of a field.
func valueOf(u *sim.JobUpdate, after *slurm.Job, f Field) string {
	switch {
	case f == Site && u.SiteFactor != nil:
		return strconv.FormatInt(*u.SiteFactor, 10)
	case f == Priority && u.Priority != nil:
		return strconv.FormatInt(*u.Priority, 10)
	}
	return shownValue(after, f)
}

// noteOurWrite notes what we wrote.
func (b *book) noteOurWrite(e *jobEntry, u *sim.JobUpdate, after *slurm.Job, now time.Time) {
	for _, f := range fieldsOf(u) {
		m := e.marks[f]
		m.ourValue, m.at, m.stands, m.givenBack = valueOf(u, after, f), now, true, false
	}
	if u.Hold != nil {
		e.marks[Priority].stands = false
		e.hold = map[bool]string{true: "us", false: ""}[*u.Hold]
	}
}

// notePersonsWrite notes what somebody else wrote. What is the same as ours stays ours.
func (b *book) notePersonsWrite(e *jobEntry, by string, u *sim.JobUpdate, before, after *slurm.Job) {
	b.count++
	e.edited = b.count
	fields := fieldsOf(u)
	if before.Nice != after.Nice && u.Nice == nil {
		fields = append(fields, Nice) // a release and a direct priority wipe it
	}
	for _, f := range fields {
		m, v := e.marks[f], valueOf(u, after, f)
		if m.stands && m.ourValue == v {
			continue
		}
		m.foreign = m.foreign || m.stands && !m.unanswered && !m.givenBack && m.ourValue != m.ownersValue
		m.ownersValue, m.stands = v, false
	}
	if u.Hold == nil && u.Priority == nil {
		return
	}
	switch {
	case !after.IsHeld:
		e.hold = ""
	case by == site.Operator:
		e.hold = "admin"
	default:
		e.hold = "owner"
	}
}
