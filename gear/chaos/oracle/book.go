package oracle

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
	"fairbridge/replica/sim"
)

// Field is a field of a job that we and people may write.
type Field string

// The fields.
const (
	FieldBegin         Field = "begin time"
	FieldNice          Field = "nice"
	FieldSiteFactor    Field = "site factor"
	FieldPriority      Field = "priority"
	FieldRequiredNodes Field = "required nodes"
	FieldExcludedNodes Field = "excluded nodes"
	FieldAdminComment  Field = "admin_comment"
	FieldGPUs          Field = "GPUs"
)

// allFields are all of them.
var allFields = []Field{FieldBegin, FieldNice, FieldSiteFactor, FieldPriority, FieldRequiredNodes, FieldExcludedNodes, FieldAdminComment, FieldGPUs}

type jobField struct {
	job   int64
	field Field
}

// fieldState is who gave a field what.
type fieldState struct {
	ownersValue     string // what stands there but for us
	valueBeforeOurs string // what stood there before our last write
	isAsGivenBack   bool   // a person set at once the value that we removed, or our former value: it counts as ours
	ourValue        string // what we last wrote
	writtenAt       time.Time
	isOursStanding  bool // ours is what Slurm has
	isGivenBack     bool // and it gave the field back: nothing of ours is in it
	wasOverwritten  bool // somebody wrote after us
	isUnanswered    bool // we had no answer: if somebody changes it at once we cannot know that it was done
	lackedAnswer    bool // a write of ours had no answer
	isWrittenLate   bool // a call of ours came late, and nobody else wrote since
	isLostToLate    bool // a late call of ours came before its sender was shown what the owner had set: it cannot know
	isLostByRestore bool // the database was put back behind our write: it cannot know

	changedAt       time.Time // when somebody last changed it
	changeNumber    int       // entry of the book at which somebody last changed it
	isLostUnread    bool      // ours replaced ownersValue before we read it: nothing shows that it ever stood
	valueReadBefore string    // with isLostUnread: what we had read in its place
}

// readableValue is the owner's value as far as a process of ours could read it. Slurm has no
// update on condition: what is set between our read and our write is gone.
func (m *fieldState) readableValue() string {
	if m.isLostUnread {
		return m.valueReadBefore
	}
	return m.ownersValue
}

// jobEntry is the oracle's own account of a job.
type jobEntry struct {
	id               int64
	submittedJob     slurm.Job // as submitted
	stateByField     map[Field]*fieldState
	heldBy           string // who holds it: "", owner, admin or us
	restartCount     int
	lastChangeNumber int // entry of the book at which somebody last changed it
	leasedTime       time.Duration
	waitsSince       time.Time // or last stopped
	inTask           string    // " in a task" if it inherited the values of its array's record; else empty
}

// jobBook is what the oracle knows of all jobs.
type jobBook struct {
	entryByJob  map[int64]*jobEntry
	changeCount int // of changes by people
}

func newJobBook() *jobBook { return &jobBook{entryByJob: map[int64]*jobEntry{}} }

// entryForJob returns the entry of a job, brought up to date with a requeue, which resets
// the begin time. A task that was split off an array inherits.
func (b *jobBook) entryForJob(j *slurm.Job) *jobEntry {
	e := b.entryByJob[j.ID]
	if e == nil || e.submittedJob.Submit.After(j.Submit) {
		e = b.addEntry(j)
	}
	if j.Restarts != e.restartCount {
		e.restartCount = j.Restarts
		e.stateByField[FieldBegin] = &fieldState{ownersValue: shownValue(j, FieldBegin)}
		e.waitsSince = j.Submit
	}
	return e
}

func (b *jobBook) addEntry(j *slurm.Job) *jobEntry {
	e := &jobEntry{id: j.ID, submittedJob: *j, stateByField: map[Field]*fieldState{}, restartCount: j.Restarts, waitsSince: j.Submit}
	for _, f := range allFields {
		e.stateByField[f] = &fieldState{ownersValue: shownValue(j, f)}
	}
	if j.IsHeld {
		e.heldBy = "owner"
	}
	if a := b.entryByJob[j.ArrayJobID]; j.ArrayJobID != 0 && j.ArrayJobID != j.ID && a != nil {
		e.heldBy, e.leasedTime, e.waitsSince, e.lastChangeNumber = a.heldBy, a.leasedTime, a.waitsSince, a.lastChangeNumber
		for f, m := range a.stateByField {
			kept := *m
			e.stateByField[f] = &kept
		}
		e.inTask = " in a task"
	}
	b.entryByJob[j.ID] = e
	return e
}

// jobIDs are the jobs of the book, sorted.
func (b *jobBook) jobIDs() []int64 { return slices.Sorted(maps.Keys(b.entryByJob)) }

// hasOurValue reports whether a value of ours stands in the field of the pending job
// and is not what its owner wants.
func (e *jobEntry) hasOurValue(j *slurm.Job, f Field, now time.Time) bool {
	m := e.stateByField[f]
	switch {
	case !m.isOursStanding || m.ourValue == m.ownersValue:
		return false
	case f == FieldBegin:
		return j.EligibleTime.After(now)
	case f == FieldSiteFactor:
		return m.ourValue != "0"
	}
	return true
}

// knownCause is what happened to the field that is known to lead to breaches; "": nothing.
func (m *fieldState) knownCause() string {
	switch {
	case m == nil:
	case m.isAsGivenBack:
		return CauseSameValue
	case m.lackedAnswer:
		return CauseLostAnswer
	case m.changeNumber > 0 && m.changedAt.Sub(m.writtenAt).Abs() <= time.Minute:
		return CauseChangedAtOnce
	}
	return ""
}

// shownValue is the value of a field as a record shows it; a site factor is shown by no
// release.
func shownValue(j *slurm.Job, f Field) string {
	switch f {
	case FieldBegin:
		return formatTime(j.EligibleTime)
	case FieldNice:
		return strconv.FormatInt(j.Nice, 10)
	case FieldRequiredNodes:
		return formatNodes(j.RequiredNodes)
	case FieldExcludedNodes:
		return formatNodes(j.ExcludedNodes)
	case FieldAdminComment:
		return j.AdminComment
	case FieldGPUs:
		if n := askedShards(j); n > 0 {
			return formatShards(n)
		}
		return formatGPUs(int64(askedGPUCount(j)), askedGPUType(j))
	}
	return ""
}

// formatGPUs is a number of GPUs and their type, if any.
func formatGPUs(count int64, gpuType string) string {
	return strings.TrimSpace(strconv.FormatInt(count, 10) + " " + gpuType)
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

// writtenFields are the fields an update writes.
func writtenFields(u *sim.JobUpdate) []Field {
	var out []Field
	for _, x := range []struct {
		set   bool
		field Field
	}{
		{u.BeginTime != nil, FieldBegin}, {u.Nice != nil, FieldNice}, {u.SiteFactor != nil, FieldSiteFactor}, {u.Priority != nil || u.Hold != nil, FieldPriority},
		{u.RequiredNodes != nil, FieldRequiredNodes}, {u.ExcludedNodes != nil, FieldExcludedNodes},
		{u.AdminComment != nil, FieldAdminComment}, {u.GPUs != nil || u.Shards != nil, FieldGPUs},
	} {
		if x.set {
			out = append(out, x.field)
		}
	}
	return out
}

// valueAfterUpdate is what an update made of a field.
func valueAfterUpdate(u *sim.JobUpdate, after *slurm.Job, f Field) string {
	switch {
	case f == FieldSiteFactor && u.SiteFactor != nil:
		return strconv.FormatInt(*u.SiteFactor, 10)
	case f == FieldPriority && u.Priority != nil:
		return strconv.FormatInt(*u.Priority, 10)
	}
	return shownValue(after, f)
}

// noteOurWrite notes what we wrote.
func (b *jobBook) noteOurWrite(e *jobEntry, u *sim.JobUpdate, after *slurm.Job, now time.Time) {
	for _, f := range writtenFields(u) {
		m := e.stateByField[f]
		m.valueBeforeOurs = m.ourValue
		m.ourValue, m.writtenAt, m.isOursStanding, m.isGivenBack = valueAfterUpdate(u, after, f), now, true, false
	}
	if u.Hold != nil {
		e.stateByField[FieldPriority].isOursStanding = false
		e.heldBy = map[bool]string{true: "us", false: ""}[*u.Hold]
	}
}

// noteLostUnread notes that a write of ours, after a read as of so many changes of the book,
// replaced what somebody had set since.
func (m *fieldState) noteLostUnread(read jobRead, f Field) {
	if m.changeNumber > read.changeNumber {
		m.isLostUnread, m.valueReadBefore = true, read.ownersValueByField[f]
	}
}

// noteForeignWrite notes what somebody else wrote. What is the same as ours stays ours.
func (b *jobBook) noteForeignWrite(e *jobEntry, now time.Time, by string, u *sim.JobUpdate, before, after *slurm.Job) {
	b.changeCount++
	e.lastChangeNumber = b.changeCount
	fields := writtenFields(u)
	if before.Nice != after.Nice && u.Nice == nil {
		fields = append(fields, FieldNice) // a release and a direct priority wipe it
	}
	for _, f := range fields {
		m, v := e.stateByField[f], valueAfterUpdate(u, after, f)
		if m.isOursStanding && m.ourValue == v {
			continue
		}
		isOver := f == FieldBegin && m.ourValue <= formatTime(now) // a lease that ran out is nobody's to take off
		m.wasOverwritten = m.wasOverwritten || !isOver && m.isOursStanding && !m.isUnanswered && !m.isGivenBack && m.ourValue != m.ownersValue
		m.isAsGivenBack = m.isOursStanding && v == m.valueBeforeOurs && now.Sub(m.writtenAt) <= time.Minute ||
			m.wasOverwritten && v == m.ourValue
		m.ownersValue, m.isOursStanding, m.changedAt = v, false, now
		m.changeNumber, m.isLostUnread, m.isLostToLate, m.isWrittenLate = b.changeCount, false, false, false
	}
	if u.Hold == nil && u.Priority == nil {
		return
	}
	switch {
	case !after.IsHeld:
		e.heldBy = ""
	case by == site.OperatorUser:
		e.heldBy = "admin"
	default:
		e.heldBy = "owner"
	}
}
