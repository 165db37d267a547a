package slurm

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// EditKind is one thing that can be done to a job in Slurm. Each edit does exactly
// one thing, because Slurm applies the fields of an update one after another
// and may stop half-way.
type EditKind string

// The kinds of edit.
const (
	EditSiteFactor       EditKind = "site_factor" // additive to multifactor; Value is the offset, 0 neutral
	EditNice             EditKind = "nice"        // Value is the whole nice
	EditPriority         EditKind = "priority"    // direct priority, Value in [MinPriority, MaxPriority]
	EditLease            EditKind = "lease"       // begin_time = Until: a hold that expires by itself
	EditUnlease          EditKind = "unlease"     // begin_time = Until (now, or the user's own begin)
	EditRequireNodes     EditKind = "require"     // required nodes = Nodes; none: clear
	EditExcludeNodes     EditKind = "exclude"     // excluded nodes = Nodes; none: clear
	EditRequeue          EditKind = "requeue"     // always Incomplete, by SLUID where there is one; Value is the number of GPUs it is to resume on, 0: as it was; Text their type
	EditWarn             EditKind = "warn"        // Signal to the batch script: a requeue may follow, Grace() later; Value is that in seconds
	EditHardHold         EditKind = "hold"        // priority 0; only with explicit configuration
	EditHandBackPriority EditKind = "hand_back"   // give a direct priority back to multifactor: hold, then release; Value is the nice to restore, which Priority wiped, 0 none
	EditSetGPUs          EditKind = "gpus"        // GPU count of a pending elastic job: Value; Text is the type

	EditSetShards EditKind = "shards" // Value shards of one GPU of a pending job in place of the GPU, while it is bound to Nodes

	EditAdminComment EditKind = "admin_comment" // admin_comment = Text, which says why the job waits; none: clear
)

// Field is a field of a job. Several kinds of edit may write one.
type Field string

// The fields.
const (
	FieldBeginTime     Field = "begin_time"
	FieldPriority      Field = "priority"
	FieldSiteFactor    Field = "site_factor"
	FieldNice          Field = "nice"
	FieldRequiredNodes Field = "required_nodes"
	FieldExcludedNodes Field = "excluded_nodes"
	FieldGPUs          Field = "gpus"
	FieldAdminComment  Field = "admin_comment"
	FieldCurrentRun    Field = "run"    // what a requeue changes
	FieldWarned        Field = "warned" // nothing that Slurm shows: the script had a signal
)

// MinPriority and MaxPriority bound direct priorities, far from Slurm's
// reserved values (0 hold, 0xfffffffe no change, 0xffffffff release).
const (
	MinPriority int64 = 1_000
	MaxPriority int64 = 4_000_000_000
)

// maxPriorityOffset bounds site factors and nice values, within what Slurm can add up.
const maxPriorityOffset int64 = 2_000_000_000

// EditEncoding is how what an edit carries is written in an update.
type EditEncoding int

// The encodings.
const (
	EncodingOwnCall       EditEncoding = iota // not an update of one field: a call of its own
	EncodingInteger                           // Value
	EncodingWrappedNumber                     // Value with the sign that it is set; plain: as it is
	EncodingSiteFactor                        // Value on top of the site factor that does nothing
	EncodingTime                              // Until in seconds, with the sign that it is set; plain: "uts" and the seconds
	EncodingNodes                             // Nodes as a list; plain: joined by commas
	EncodingHold                              // true, where hard holds are allowed
	EncodingText                              // Text, from v0.0.40 on
)

// EditForm is what a kind of edit looks like, in the program and on the wire.
type EditForm struct {
	Kind  EditKind
	Field Field

	// What the edit carries besides its run. It has all of these, and no other;
	// Value, Nodes and Text may be zero.
	SetsValue    bool // Value, which the field becomes
	CarriesValue bool // Value, which is not what the field becomes
	HasUntil     bool
	HasNodes     bool
	HasArray     bool // may be left out
	HasSignal    bool
	HasText      bool
	HasGPUType   bool // Text is a type of GPU; may be left out

	ValueName           string // Value in words; "": it has no bounds
	MinValue, MaxValue  int64  // bounds of Value, inside Slurm's own
	NeedsFutureUntil    bool   // Until lies ahead, no further than the longest lease; else any time, of which the past means now
	AllowedWhileRunning bool   // the field can be written while the job runs

	RESTName      string // of the field in REST; "": none, a call of its own
	PlainRESTName string // likewise in the plain form, v0.0.38; "": the same
	Encoding      EditEncoding
}

// EditForms are the forms of all kinds of edit.
var EditForms = []EditForm{
	{Kind: EditSiteFactor, Field: FieldSiteFactor, SetsValue: true, ValueName: "site factor", MinValue: -maxPriorityOffset, MaxValue: maxPriorityOffset, AllowedWhileRunning: true, RESTName: "site_factor", Encoding: EncodingSiteFactor},
	{Kind: EditNice, Field: FieldNice, SetsValue: true, ValueName: "nice", MinValue: -maxPriorityOffset, MaxValue: maxPriorityOffset, AllowedWhileRunning: true, RESTName: "nice", Encoding: EncodingInteger},
	{Kind: EditPriority, Field: FieldPriority, SetsValue: true, ValueName: "priority", MinValue: MinPriority, MaxValue: MaxPriority, RESTName: "priority", Encoding: EncodingWrappedNumber},
	{Kind: EditLease, Field: FieldBeginTime, HasUntil: true, NeedsFutureUntil: true, RESTName: "begin_time", Encoding: EncodingTime},
	{Kind: EditUnlease, Field: FieldBeginTime, HasUntil: true, RESTName: "begin_time", Encoding: EncodingTime},
	{Kind: EditRequireNodes, Field: FieldRequiredNodes, HasNodes: true, RESTName: "required_nodes", PlainRESTName: "nodelist", Encoding: EncodingNodes},
	{Kind: EditExcludeNodes, Field: FieldExcludedNodes, HasNodes: true, RESTName: "excluded_nodes", PlainRESTName: "exclude_nodes", Encoding: EncodingNodes},
	{Kind: EditRequeue, Field: FieldCurrentRun, CarriesValue: true, HasArray: true, HasGPUType: true, AllowedWhileRunning: true},
	{Kind: EditWarn, Field: FieldWarned, CarriesValue: true, HasArray: true, HasSignal: true, AllowedWhileRunning: true},
	{Kind: EditHardHold, Field: FieldPriority, RESTName: "hold", Encoding: EncodingHold},
	{Kind: EditHandBackPriority, Field: FieldPriority, CarriesValue: true, ValueName: "nice", MinValue: -maxPriorityOffset, MaxValue: maxPriorityOffset},
	{Kind: EditSetGPUs, Field: FieldGPUs, SetsValue: true, HasGPUType: true, ValueName: "number of GPUs", MinValue: 1, MaxValue: 1 << 16},
	{Kind: EditSetShards, Field: FieldGPUs, SetsValue: true, HasNodes: true, ValueName: "number of shards", MinValue: 1, MaxValue: 1 << 10},
	{Kind: EditAdminComment, Field: FieldAdminComment, HasText: true, AllowedWhileRunning: true, RESTName: "admin_comment", Encoding: EncodingText},
}

var editFormByKind = func() map[EditKind]*EditForm {
	m := make(map[EditKind]*EditForm, len(EditForms))
	for i := range EditForms {
		m[EditForms[i].Kind] = &EditForms[i]
	}
	return m
}()

// Form returns what edits of the kind look like; ok is false for an unknown kind.
func (k EditKind) Form() (f EditForm, ok bool) {
	if p, ok := editFormByKind[k]; ok {
		return *p, true
	}
	return EditForm{}, false
}

// Field returns the field that edits of the kind write.
func (k EditKind) Field() Field {
	if f, ok := editFormByKind[k]; ok {
		return f.Field
	}
	return FieldCurrentRun
}

// JobField is one field of one job.
type JobField struct {
	Job   int64
	Field Field
}

// WrittenField returns the field of the job that the edit writes.
func (e *Edit) WrittenField() JobField { return JobField{e.Run.Job, e.Kind.Field()} }

// Edit is one wanted change of one run.
type Edit struct {
	Run     Run       `json:"run"`
	Kind    EditKind  `json:"kind"`
	Value   int64     `json:"value,omitempty"`
	Until   time.Time `json:"until,omitzero"`
	Nodes   []string  `json:"nodes,omitempty"`   // sorted
	Text    string    `json:"text,omitempty"`    // of an admin_comment, none: clear; of a number of GPUs, and of a requeue for one, the GPU type, none: as it is asked for
	Array   string    `json:"array,omitempty"`   // address "47_4" of an array task, for requeues and warnings
	Address string    `json:"address,omitempty"` // the job as squeue writes it where that is not its id: 47_[5-9]; for people, never sent
	Tasks   int       `json:"tasks"`             // tasks affected, for budgets; at least 1
	Why     string    `json:"why"`

	Signal Signal `json:"signal,omitempty"` // of a warning
}

// Grace is the time between a warning and the earliest requeue.
func (e Edit) Grace() time.Duration { return time.Duration(e.Value) * time.Second }

// String prints the edit for logs and tables, without its reason.
func (e Edit) String() string {
	f, ok := e.Kind.Form()
	switch {
	case f.HasUntil:
		return fmt.Sprintf("%s job %s until %s", e.Kind, e.runText(), e.Until.UTC().Format(time.RFC3339))
	case f.HasText:
		return fmt.Sprintf("%s job %s %q", e.Kind, e.runText(), e.Text)
	case f.HasNodes && f.SetsValue:
		return fmt.Sprintf("%s job %s to %d on %s", e.Kind, e.runText(), e.Value, strings.Join(e.Nodes, ","))
	case f.HasNodes:
		return fmt.Sprintf("%s job %s nodes [%s]", e.Kind, e.runText(), strings.Join(e.Nodes, ","))
	case f.HasSignal:
		return fmt.Sprintf("%s job %s by %s, %v ahead of a requeue", e.Kind, e.runText(), e.Signal, e.Grace())
	case e.Kind == EditRequeue && e.Value > 0:
		return fmt.Sprintf("%s job %s to resume on %d %s", e.Kind, e.runText(), e.Value, cmp.Or(e.Text, "GPUs"))
	case f.HasGPUType && f.SetsValue && e.Text != "":
		return fmt.Sprintf("%s job %s to %d %s", e.Kind, e.runText(), e.Value, e.Text)
	case f.SetsValue || !ok:
		return fmt.Sprintf("%s job %s to %d", e.Kind, e.runText(), e.Value)
	}
	return fmt.Sprintf("%s job %s", e.Kind, e.runText())
}

// JobLabel returns the job as squeue writes it: 4711, 47_4, 47_[0-9], 7+1.
func (e Edit) JobLabel() string { return cmp.Or(e.Address, strconv.FormatInt(e.Run.Job, 10)) }

func (e Edit) runText() string { return e.Run.TextOf(e.JobLabel()) }
