package ledger

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// Owner says whose the value in a field of a job is.
type Owner string

// The owners.
const (
	Ours   Owner = "ours"   // exactly what we wrote
	Theirs Owner = "theirs" // somebody wrote it after us
	Hidden Owner = "hidden" // the record does not show the field: it stays ours until it does
)

// rule is what there is to know of one field.
type rule struct {
	whose func(in *bridge.Intent, j *slurm.Job) Owner
	back  func(e *slurm.Edit, own *bridge.Before) bool // the edit gives the field back; own is nil when nothing of ours stands
	told  func(in *bridge.Intent, j *slurm.Job) string // what somebody else made of our value
}

// rules is the one place that says whose a value is. Poll, gate, the look right
// before a write and release all ask here.
var rules = map[Field]rule{
	Begin: {
		whose: func(in *bridge.Intent, j *slurm.Job) Owner { return owner(j.Eligible.Equal(in.Edit.Until)) },
		back:  func(e *slurm.Edit, _ *bridge.Before) bool { return e.Kind == slurm.Unlease },
		told: func(in *bridge.Intent, j *slurm.Job) string {
			return fmt.Sprintf("begin time is now %s, we had set %s", stamp(j.Eligible), stamp(in.Edit.Until))
		},
	},
	Priority: {
		whose: func(in *bridge.Intent, j *slurm.Job) Owner { return owner(j.Priority == in.Edit.Value) },
		back:  func(e *slurm.Edit, _ *bridge.Before) bool { return e.Kind == slurm.HandBack },
		told: func(in *bridge.Intent, j *slurm.Job) string {
			return fmt.Sprintf("priority is now %d, we had set %d", j.Priority, in.Edit.Value)
		},
	},
	// No release shows a site factor, and only Operators can write one: it is
	// ours as long as the job lives, whatever becomes of its nice or priority.
	Site: {
		whose: func(*bridge.Intent, *slurm.Job) Owner { return Hidden },
		back:  func(e *slurm.Edit, _ *bridge.Before) bool { return e.Value == 0 },
		told:  func(*bridge.Intent, *slurm.Job) string { return "" },
	},
	NiceBy: {
		whose: whoseNice,
		back:  func(e *slurm.Edit, own *bridge.Before) bool { return own != nil && e.Value == own.OwnNice() },
		told: func(in *bridge.Intent, j *slurm.Job) string {
			return fmt.Sprintf("nice is now %d, we had set %d", j.Nice, in.Edit.Value)
		},
	},
	Required: {
		whose: func(in *bridge.Intent, j *slurm.Job) Owner { return owner(j.Required.Same(in.Edit.Nodes)) },
		back:  func(e *slurm.Edit, own *bridge.Before) bool { return own != nil && own.Required.Same(e.Nodes) },
		told: func(in *bridge.Intent, j *slurm.Job) string {
			return fmt.Sprintf("required nodes are now %q, we had set %q", j.Required, in.Edit.Nodes)
		},
	},
	Excluded: {
		whose: func(in *bridge.Intent, j *slurm.Job) Owner { return owner(j.Excluded.Same(in.Edit.Nodes)) },
		back:  func(e *slurm.Edit, own *bridge.Before) bool { return own != nil && own.Excluded.Same(e.Nodes) },
		told: func(in *bridge.Intent, j *slurm.Job) string {
			return fmt.Sprintf("excluded nodes are now %q, we had set %q", j.Excluded, in.Edit.Nodes)
		},
	},
}

// Readable are the fields in which a record can show a value of ours.
var Readable = []Field{Begin, Priority, NiceBy, Required, Excluded}

// Whose says whose the value is that the record shows in the intent's field.
func Whose(in *bridge.Intent, j *slurm.Job) Owner {
	if r, ok := rules[FieldOf(in.Edit.Kind)]; ok {
		return r.whose(in, j)
	}
	return Hidden
}

// GivesBack reports whether the edit gives its field back to what it was
// without us. own is the Before of the value of ours that stands there, nil
// when none does.
func GivesBack(e slurm.Edit, own *bridge.Before) bool {
	r, ok := rules[FieldOf(e.Kind)]
	return ok && r.back(&e, own)
}

func owner(ours bool) Owner {
	if ours {
		return Ours
	}
	return Theirs
}

// whoseNice knows that old releases show a nice only above 0.
func whoseNice(in *bridge.Intent, j *slurm.Job) Owner {
	switch {
	case j.NiceKnown:
		return owner(j.Nice == in.Edit.Value)
	case in.Edit.Value > 0:
		return Theirs
	}
	return Hidden
}

// Foreign says what somebody else made of the intent's value.
func Foreign(in *bridge.Intent, j *slurm.Job) string { return rules[FieldOf(in.Edit.Kind)].told(in, j) }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
